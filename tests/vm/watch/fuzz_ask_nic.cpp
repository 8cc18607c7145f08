// Whatever answers on the control channel's socket, a question ends with a line or a sentence.
//
// reaches vm/watch/nic_process.cpp: if (answer.size() > kLongestAnswer)
// reaches vm/watch/nic_process.cpp: const std::string why = said ?
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/base/fd.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "vm/watch/nic_process.hpp"

namespace {

using namespace zcrxlab;

// A socket that answers each who connects with the same bytes, and hangs up.
class Answerer {
  public:
    Answerer() : path_(folder_.path() / "nic"), socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
        if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
            ::listen(socket_.get(), 1) != 0)
            std::abort();
    }
    const std::filesystem::path& path() const { return path_; }
    void answer_once(const std::string& bytes) const {
        const Fd client(::accept(socket_.get(), nullptr, nullptr));
        // It asks first.
        char question = 0;
        if (::read(client.get(), &question, 1) != 1) return;
        (void)::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        ::shutdown(client.get(), SHUT_WR);
        char rest[4096];
        while (::read(client.get(), rest, sizeof(rest)) > 0) {
        }
    }

  private:
    TemporaryFolder folder_;
    std::filesystem::path path_;
    Fd socket_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const Answerer answerer;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const bool as_rule = size > 0 && data[0] == '!';
    std::thread nic([&] { answerer.answer_once(bytes.substr(as_rule ? 1 : 0)); });
    if (as_rule) {
        const auto injected = inject_fault(answerer.path(), FaultRule{});
        if (!injected && injected.error().sentence.empty()) std::abort();
    } else {
        const auto line = ask_nic(answerer.path(), "{}", std::chrono::milliseconds(2000));
        if (line && line->find('\n') != std::string::npos) std::abort();
        if (line.ok() != (bytes.find('\n') != std::string::npos)) std::abort();
    }
    nic.join();
    return 0;
}
