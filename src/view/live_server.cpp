#include "live_server.hpp"

#include <fcntl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <thread>

#include "holonom/errors.hpp"
#include "holonom/version.hpp"
#include "live_door.hpp"

namespace holonom {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

namespace {

constexpr int most_connections = 32;
constexpr std::size_t most_header = 8192, message_bytes = 1 << 20;
constexpr std::chrono::milliseconds between_looks(40);
// For a request to come, for a message to be taken, and between messages to a page that is told nothing
constexpr std::chrono::seconds request_time(10), write_time(30), silence(5);

// Programs that are started here, such as a browser, must not hold the port.
void keep_from_children(tcp::socket::native_handle_type handle) { ::fcntl(handle, F_SETFD, FD_CLOEXEC); }

// What all connections share
struct Shared {
  std::string token, page, policy;
  std::shared_ptr<const LiveStore> store;
  std::atomic<long> pages{0}, streams{0}, open{0}, messages{0};
  std::atomic<std::chrono::steady_clock::time_point> last_page{};
  int connections = 0;
};

// One request, and its answer. It lives as long as something is under way for it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), shared_(shared) {
    keep_from_children(stream_.socket().native_handle());
    ++shared_.connections;
    parser_.header_limit(most_header);
    parser_.body_limit(0);
  }
  ~Connection() {
    --shared_.connections;
    if (is_stream_) --shared_.open;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    stream_.expires_after(request_time);
    http::async_read_header(stream_, buffer_, parser_, [self = shared_from_this()](Error error, std::size_t) {
      if (!error) self->answer();
    });
  }

 private:
  std::vector<std::string_view> headers(http::field name) const {
    std::vector<std::string_view> list;
    const auto [first, last] = parser_.get().equal_range(name);
    for (auto it = first; it != last; ++it) list.emplace_back(it->value().data(), it->value().size());
    return list;
  }
  std::vector<std::string_view> headers(std::string_view name) const {
    std::vector<std::string_view> list;
    const auto [first, last] = parser_.get().equal_range(beast::string_view(name.data(), name.size()));
    for (auto it = first; it != last; ++it) list.emplace_back(it->value().data(), it->value().size());
    return list;
  }

  void answer() {
    const auto& request = parser_.get();
    const auto view = [](beast::string_view text) { return std::string_view(text.data(), text.size()); };
    const LiveRequest asked{view(request.method_string()), view(request.target()), headers(http::field::host),
                            headers(http::field::origin), headers("Sec-Fetch-Site")};
    switch (answer_to(asked, shared_.token)) {
      case LiveAnswer::page:
        ++shared_.pages;
        shared_.last_page = std::chrono::steady_clock::now();
        return send(http::status::ok, shared_.page);
      case LiveAnswer::rows: return begin_rows();
      case LiveAnswer::forbidden: return send(http::status::forbidden, "");
      case LiveAnswer::not_found: return send(http::status::not_found, "");
      case LiveAnswer::not_allowed: return send(http::status::method_not_allowed, "");
    }
  }

  template <class Message>
  void set_headers(Message& message) const {
    message.set(http::field::server, std::string("holonom ") + version);
    message.set(http::field::connection, "close");
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    message.set("X-Frame-Options", "DENY");
    message.set("Content-Security-Policy", shared_.policy + "; frame-ancestors 'none'");
    message.set("Cross-Origin-Opener-Policy", "same-origin");
    message.set("Cross-Origin-Resource-Policy", "same-origin");
    message.set("Referrer-Policy", "no-referrer");
  }

  void send(http::status status, const std::string& body) {
    auto response = std::make_shared<http::response<http::string_body>>(status, 11, body);
    set_headers(*response);
    if (status == http::status::ok) response->set(http::field::content_type, "text/html; charset=utf-8");
    if (status == http::status::method_not_allowed) response->set(http::field::allow, "GET");
    response->prepare_payload();
    stream_.expires_after(write_time);
    http::async_write(stream_, *response, [self = shared_from_this(), response](Error, std::size_t) { self->close(); });
  }

  // ---- frames, message by message: the next one is made when the last one has been taken
  void begin_rows() {
    is_stream_ = true;
    ++shared_.streams;
    ++shared_.open;
    auto response = std::make_shared<http::response<http::empty_body>>(http::status::ok, 11);
    set_headers(*response);
    response->set(http::field::content_type, "application/octet-stream");
    response->chunked(true);
    auto serializer = std::make_shared<http::response_serializer<http::empty_body>>(*response);
    stream_.expires_after(write_time);
    http::async_write_header(stream_, *serializer,
                             [self = shared_from_this(), response, serializer](Error error, std::size_t) {
                               if (!error) self->look();
                             });
  }
  void look() {
    const LiveStore::News news = shared_.store->after(row_, message_bytes);
    const auto now = std::chrono::steady_clock::now();
    if (!news.frames.empty() || news.end || now - told_ > silence) {
      told_ = now;
      if (!news.frames.empty()) row_ = news.frames.back()->row;
      message_ = message_of(news.frames, news.stride);
      if (news.end) message_ += message_of_end(*news.end);
      return tell(news.end.has_value());
    }
    timer_.expires_after(between_looks);
    timer_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->look();
    });
  }
  void tell(bool last) {
    stream_.expires_after(write_time);
    asio::async_write(stream_, http::make_chunk(asio::buffer(message_)),
                      [self = shared_from_this(), last](Error error, std::size_t) {
                        if (error) return;
                        ++self->shared_.messages;
                        last ? self->end_rows() : self->look();
                      });
  }
  void end_rows() {
    asio::async_write(stream_, http::make_chunk_last(),
                      [self = shared_from_this()](Error, std::size_t) { self->close(); });
  }

  void close() {
    Error ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  Shared& shared_;
  beast::flat_buffer buffer_{most_header};
  http::request_parser<http::empty_body> parser_;
  bool is_stream_ = false;
  long row_ = -1;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
  std::string message_;
};

}  // namespace

struct LiveServer::Impl {
  Shared shared;  // outlives the connections, which are in handlers of `io`
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  std::string address;
  std::thread thread;

  void accept() {
    acceptor.async_accept([this](Error error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && shared.connections < most_connections)
        std::make_shared<Connection>(std::move(socket), shared)->start();
      accept();
    });
  }
};

LiveServer::LiveServer() : impl_(std::make_unique<Impl>()) {
  tcp::acceptor& acceptor = impl_->acceptor;
  try {
    acceptor.open(tcp::v4());
    keep_from_children(acceptor.native_handle());
    acceptor.bind({asio::ip::address_v4::loopback(), 0});
    acceptor.listen();
  } catch (const boost::system::system_error& e) {
    throw InputError("no port of 127.0.0.1 can be had for a live page (" + e.code().message() + ")");
  }
  impl_->shared.token = random_token();
  impl_->address =
      "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + "/" + impl_->shared.token + "/";
}

LiveServer::~LiveServer() {
  impl_->io.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

const std::string& LiveServer::address() const { return impl_->address; }

void LiveServer::serve(std::string page, const std::string& policy, std::shared_ptr<const LiveStore> store) {
  impl_->shared.page = std::move(page);
  impl_->shared.policy = policy;
  impl_->shared.store = std::move(store);
  impl_->accept();
  // Whatever goes wrong here is no matter of the run.
  impl_->thread = std::thread([io = &impl_->io] {
    try {
      io->run();
    } catch (...) {
    }
  });
}

LiveServer::Seen LiveServer::seen() const {
  const Shared& s = impl_->shared;
  return {s.pages, s.streams, s.open, s.messages, s.last_page};
}

}  // namespace holonom
