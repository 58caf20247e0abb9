#include "support/fake_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "formats/json_text.h"

namespace mgdm::prompting {
namespace {

constexpr int kSliceMs = 10;
constexpr double kLongest = 5;  // seconds that anything here may take

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// Head and body of a request, as far as they came in time.
FakeServer::Request receive(int connection) {
  std::string text;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kLongest);
  std::size_t body = std::string::npos, length = 0;
  while (std::chrono::steady_clock::now() < end) {
    if (body == std::string::npos && text.find("\r\n\r\n") != std::string::npos) {
      body = text.find("\r\n\r\n") + 4;
      const std::string head = lowered(text.substr(0, body));
      const std::size_t at = head.find("content-length:");
      if (at != std::string::npos)
        length = static_cast<std::size_t>(std::atoll(head.c_str() + at + 15));
    }
    if (body != std::string::npos && text.size() >= body + length)
      return {0, text.substr(0, body), text.substr(body, length)};
    char buffer[4096];
    const ssize_t n = ::recv(connection, buffer, sizeof buffer, 0);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

std::string chat_body(const std::vector<std::string>& texts, int prompt_tokens,
                      int generated_tokens) {
  nlohmann::ordered_json json{{"object", "chat.completion"}, {"choices", nlohmann::json::array()}};
  for (const std::string& text : texts)
    json["choices"].push_back({{"message", {{"role", "assistant"}, {"content", text}}}});
  json["usage"] = {{"prompt_tokens", prompt_tokens}, {"completion_tokens", generated_tokens}};
  return formats::json_text(json);
}

FakeServer::FakeServer(Script script) : script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  MGDM_CHECK(listener_ >= 0 &&
             ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
             ::listen(listener_, 64) == 0 &&
             ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this] { accept_all(); });
}

FakeServer::~FakeServer() {
  stopping_ = true;
  acceptor_.join();
  connections_.clear();  // joins
  ::close(listener_);
}

std::string FakeServer::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::vector<FakeServer::Request> FakeServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FakeServer::accept_all() {
  while (!stopping_) {
    pollfd ready{listener_, POLLIN, 0};
    if (::poll(&ready, 1, kSliceMs) <= 0) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const timeval most{1, 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    connections_.emplace_back([this, connection] {
      serve(connection);
      ::shutdown(connection, SHUT_RDWR);
      ::close(connection);
    });
  }
}

void FakeServer::serve(int connection) {
  Request request = receive(connection);
  if (request.head.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    request.number = static_cast<int>(requests_.size());
    requests_.push_back(request);
  }
  const FakeAnswer answer = script_(request);
  if (answer.never) return wait(connection, kLongest);
  if (answer.dribble) {
    send_all(connection, "HTTP/1.1 200 OK\r\nX-Slow: ");
    for (int i = 0; i < 500 && !stopping_ && send_all(connection, "."); ++i) wait(connection, 0.01);
    return;
  }
  if (answer.flood) {
    const std::string much(100'000, 'a');
    send_all(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\": \"");
    while (!stopping_ && send_all(connection, much)) {
    }
    return;
  }
  wait(connection, answer.delay);
  send_all(connection, fmt::format("HTTP/1.1 {} Fake\r\nContent-Type: application/json\r\n"
                                   "Content-Length: {}\r\nConnection: close\r\n{}\r\n{}",
                                   answer.status, answer.body.size(), answer.headers, answer.body));
}

void FakeServer::wait(int connection, double seconds) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stopping_ && std::chrono::steady_clock::now() < end) {
    pollfd gone{connection, POLLRDHUP, 0};
    if (::poll(&gone, 1, kSliceMs) > 0) return;
  }
}

}  // namespace mgdm::prompting
