#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/standard_streams.h"
#include "base/text.h"
#include "torch_commands/torch_commands.h"

extern char** environ;

namespace mgdm::torch_commands {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// A port that is free now. Someone may take it before the first process does; then it says so.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool good = socket >= 0 && ::bind(socket, generic, size) == 0 &&
                    ::getsockname(socket, generic, &size) == 0;
  if (socket >= 0) ::close(socket);
  if (!good) throw Error(fmt::format("no free port on this machine: {}", std::strerror(errno)));
  return ntohs(address.sin_port);
}

// The environment with torchrun's variables for one process.
std::vector<std::string> environment(int rank, int count, int port, std::int64_t restart) {
  const std::vector<std::string> ours = {fmt::format("RANK={}", rank),
                                         fmt::format("LOCAL_RANK={}", rank),
                                         fmt::format("WORLD_SIZE={}", count),
                                         "MASTER_ADDR=127.0.0.1",
                                         fmt::format("MASTER_PORT={}", port),
                                         "TORCHELASTIC_USE_AGENT_STORE=False",
                                         fmt::format("TORCHELASTIC_RESTART_COUNT={}", restart)};
  const auto name = [](std::string_view text) { return text.substr(0, text.find('=') + 1); };
  std::vector<std::string> all = ours;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::none_of(ours.begin(), ours.end(), [&](const std::string& own) {
          return std::string_view(*entry).starts_with(name(own));
        }))
      all.emplace_back(*entry);
  // The cores are shared, unless the user has decided otherwise.
  if (std::getenv("OMP_NUM_THREADS") == nullptr)
    all.push_back(fmt::format("OMP_NUM_THREADS={}", std::max(1, thread_count(0) / count)));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

struct Child {
  int rank = 0;
  pid_t pid = -1;
  std::FILE* words = nullptr;  // its standard error; null where it is shown
  std::optional<int> status;   // as waitpid gives it, once it has ended

  bool failed() const { return status && *status != 0; }
};

std::string fate(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit status {}", WEXITSTATUS(status));
}

class Launch {
 public:
  // When quiet, the first one's output is kept back like the others'.
  explicit Launch(bool quiet) : quiet_(quiet) {}
  void start(int count, const std::vector<std::string>& command, std::int64_t restart) {
    const int port = free_port();
    std::error_code reason;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", reason);
    if (reason) throw Error(fmt::format("cannot find this program: {}", reason.message()), "/proc");
    std::vector<std::string> words{program};
    words.insert(words.end(), command.begin(), command.end());
    for (int rank = 0; rank < count; ++rank)
      start_one(rank, environment(rank, count, port, restart), words);
  }

  ~Launch() {
    send(SIGKILL);
    for (Child& child : children_) {
      if (!child.status) ::waitpid(child.pid, nullptr, 0);
      if (child.words != nullptr) std::fclose(child.words);
    }
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  void wait_for_all() {
    bool noticed = false;
    bool asked = false, killed = false;  // each once: a second SIGTERM would not let them save
    std::optional<Clock::time_point> failure;
    while (look()) {
      // To be asked once is to save and stop; twice, to stop.
      if (interrupted() && !std::exchange(noticed, true))
        send(std::exchange(asked, true) ? SIGKILL : interrupt_signal());
      if (interrupted_again() && !std::exchange(killed, true)) send(SIGKILL);
      if (culprit_ != nullptr) {
        // The others notice by themselves, most often, and have something to say.
        if (!failure) failure = Clock::now();
        const auto waited = Clock::now() - *failure;
        if (waited > 10s && !std::exchange(asked, true)) send(SIGTERM);
        if (waited > 15s && !std::exchange(killed, true)) send(SIGKILL);
      }
      std::this_thread::sleep_for(20ms);
    }
    if (culprit_ != nullptr) complain(*culprit_);
  }

 private:
  void start_one(int rank, std::vector<std::string> variables, std::vector<std::string>& words) {
    const std::vector<char*> arguments = pointers(words), places = pointers(variables);
    const bool shown = rank == 0 && !quiet_;
    std::FILE* const file = shown ? nullptr : std::tmpfile();
    if (!shown && file == nullptr)
      throw Error(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
    const int error = file == nullptr ? -1 : ::fileno(file);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) {
      const int reason = errno;
      if (file != nullptr) std::fclose(file);
      throw Error(fmt::format("cannot start a process: {}", std::strerror(reason)));
    }
    if (pid == 0) {
      // Only calls that are allowed between fork and exec in a program with threads.
      ::setpgid(0, 0);  // Ctrl-C reaches us alone, and we pass it on
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(1);
      ::dup2(::open("/dev/null", O_RDONLY), 0);
      if (error >= 0) {
        ::dup2(::open("/dev/null", O_WRONLY), 1);
        ::dup2(error, 2);
      }
      ::execve(arguments[0], arguments.data(), places.data());
      ::_exit(127);
    }
    children_.push_back({rank, pid, file, std::nullopt});
  }

  void send(int signal) const {
    for (const Child& child : children_)
      if (!child.status) ::kill(child.pid, signal);
  }

  // Notes who has ended; true while some run.
  bool look() {
    bool running = false;
    for (Child& child : children_) {
      if (child.status) continue;
      int status = 0;
      if (::waitpid(child.pid, &status, WNOHANG) != child.pid) {
        running = true;
        continue;
      }
      child.status = status;
      if (culprit_ == nullptr && child.failed()) culprit_ = &child;
    }
    return running;
  }

  [[noreturn]] void complain(const Child& culprit) const {
    const int count = static_cast<int>(children_.size()), status = *culprit.status;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 130 || (interrupted() && WIFSIGNALED(status)))
      throw Interrupted(fmt::format("{} processes ended by a signal", count));
    // A wrong command line is wrong for all of them, though one may have missed another before it
    // came to see that. What the first says has been seen.
    const auto wrong = std::ranges::find_if(children_, [](const Child& child) {
      return child.status && WIFEXITED(*child.status) && WEXITSTATUS(*child.status) == 2;
    });
    if (wrong != children_.end() && children_.front().failed()) {
      if (quiet_ || wrong != children_.begin()) repeat(*wrong);
      throw UsageError(fmt::format("none of {} processes could start", count));
    }
    if (culprit.words != nullptr) repeat(culprit);
    throw Error(fmt::format("rank {} of {} {}", culprit.rank, count, fate(status)),
                fmt::format("all {} to end well; the others were ended", count),
                WIFSIGNALED(status) ? "--resume continues from the last checkpoint"
                                    : "see its messages above");
  }

  // The last lines of what it said.
  static void repeat(const Child& child) {
    constexpr long kBytes = 4096;
    std::fseek(child.words, 0, SEEK_END);
    const long size = std::ftell(child.words);
    std::fseek(child.words, std::max(0L, size - kBytes), SEEK_SET);
    std::string text(static_cast<std::size_t>(std::min(size, kBytes)), '\0');
    text.resize(std::fread(text.data(), 1, text.size(), child.words));
    for (const std::string_view line : split(trim(text), '\n'))
      if (!line.empty()) say("rank {}: {}\n", child.rank, printable(line));
  }

  const bool quiet_;
  std::vector<Child> children_;
  const Child* culprit_ = nullptr;  // the first that failed
};

}  // namespace

void launch(const cli::LaunchSettings& settings) {
  catch_interrupts(SecondInterrupt::kNoted);
  for (std::int64_t restart = 0;; ++restart) {
    try {
      Launch processes(settings.quiet);
      processes.start(static_cast<int>(settings.n), settings.command, restart);
      return processes.wait_for_all();
    } catch (const UsageError&) {
      throw;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      if (restart == settings.restarts) throw;
      if (!settings.quiet)
        say("{}; restart {} of {}\n", error.seen(), restart + 1, settings.restarts);
    }
  }
}

}  // namespace mgdm::torch_commands
