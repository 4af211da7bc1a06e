// LiveView: the page of a run while it goes on, served to browsers of this machine.
//   http://127.0.0.1:PORT/TOKEN/   the page; /TOKEN/rows streams recorded states to it
// It listens on the loopback device alone, takes GET alone, and wants the token in every address.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "holonom/run/run_listener.hpp"

namespace holonom {

// The run only ever adds a state to a store, and thins it where there are many: a browser that is slow, stuck or gone
// costs it nothing. Its bits are the same with and without.
class LiveView final : public RunListener {
 public:
  // `model_file`: where the model of the run is from. Throws InputError in a build without pages, or if there is no
  // port to be had.
  explicit LiveView(std::string model_file);
  ~LiveView() override;  // ends the server
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  const std::string& address() const;

  void begin(const RunDescription& about, long expected, std::span<const double> q, std::span<const double> p) override;
  bool wants(long row) const override;
  void hear(long row, const HeardState& state) override;

  // The run is over: pages get the last states and are told how it ended, and then the server ends. One that takes
  // nothing for a second is not waited for. A run that ends by itself waits for a page that is on its way:
  // `until_seen`, if none has come at all, for ten seconds. An interrupted one waits for nobody.
  struct End {
    std::string status, message;  // done, failed or interrupted; and why
    bool until_seen = false;
  };
  void end(const End& how, const std::atomic<bool>& interrupted);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holonom
