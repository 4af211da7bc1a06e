// LiveServer: HTTP for a live page, on a thread of its own. Private to src/view.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>  // before Asio of Boost 1.74, which uses std::exchange without it

#include "live_store.hpp"

namespace holonom {

class LiveServer {
 public:
  // Takes a port of the loopback device; nobody is answered yet. Throws InputError.
  LiveServer();
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  const std::string& address() const;
  // Answers from here on. `policy`: the page's content security policy
  void serve(std::string page, const std::string& policy, std::shared_ptr<const LiveStore> store);

  // What viewers have done so far
  struct Seen {
    long pages = 0, streams = 0;  // that were asked for
    long open = 0;                // streams that have not got the end
    long messages = 0;            // that were taken
    std::chrono::steady_clock::time_point last_page;
  };
  Seen seen() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holonom
