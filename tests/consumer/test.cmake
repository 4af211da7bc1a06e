# Installs the build tree to a scratch prefix, then configures, builds and runs the consumer there.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G Ninja -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)

# The installed program runs every installed model.
file(GLOB models ${SCRATCH}/prefix/share/holonom/models/*.toml)
file(GLOB sources ${SOURCE}/../../models/*.toml)
list(LENGTH models count)
list(LENGTH sources expected)
if(NOT count EQUAL expected OR count EQUAL 0)
  message(FATAL_ERROR "${count} models are installed, ${expected} were expected")
endif()
foreach(model ${models})
  run(${SCRATCH}/prefix/bin/holonom run ${model} --steps 2)
endforeach()
