#include "holonom/model/model_system.hpp"

#include "holonom/scalars.hpp"

namespace holonom {

std::shared_ptr<const void> model_system_in(const std::type_info& scalar,
                                            const std::shared_ptr<const CompiledModel>& compiled) {
  std::shared_ptr<const void> system;
  for_each_scalar([&]<class T>() {
    if (scalar == typeid(T)) system = std::shared_ptr<const AnySystem<T>>(std::make_shared<ModelSystem<T>>(compiled));
  });
  return system;
}

}  // namespace holonom
