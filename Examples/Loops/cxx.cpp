// SPDX-License-Identifier: Apache-2.0
//
// Prints the flags of a host whenever they change, in C++ with objects that release themselves:
//     c++ -std=c++20 cxx.cpp $(pkg-config --cflags --libs reachability) -o cxx && ./cxx www.swift.org
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <poll.h>
#include <reachability.h>
#include <stdexcept>

namespace {

void check(int code, const reachability_error &error) {
    if (code != REACHABILITY_OK) throw std::runtime_error(error.message);
}

struct Release {
    void operator()(reachability_target *target) const { reachability_target_free(target); }
    void operator()(reachability_watcher *watcher) const { reachability_watcher_free(watcher); }
};

class Watcher {
public:
    using Handler = std::function<void(unsigned)>;

    Watcher(const char *host, Handler handler) : handler(std::move(handler)) {
        reachability_error error;
        reachability_target *made;
        check(reachability_target_create(host, nullptr, &made, &error), error);
        target.reset(made);
        reachability_watcher *watching;
        check(reachability_watcher_create(&watching, &error), error);
        watcher.reset(watching);
        check(reachability_watcher_add(watching, made, changed, this, nullptr, nullptr, &error), error);
    }
    Watcher(const Watcher &) = delete;

    int descriptor() const { return reachability_watcher_descriptor(watcher.get()); }
    void process() {
        reachability_error error;
        check(reachability_watcher_process(watcher.get(), &error), error);
    }

private:
    static void changed(unsigned flags, void *self) { static_cast<Watcher *>(self)->handler(flags); }

    Handler handler;
    std::unique_ptr<reachability_target, Release> target;
    std::unique_ptr<reachability_watcher, Release> watcher;
};

} // namespace

int main(int count, char **words) try {
    if (count < 2) return 64;
    long calls_left = count > 2 ? std::atol(words[2]) : -1;
    Watcher watcher(words[1], [&](unsigned flags) {
        std::cout << words[1] << ": 0x" << std::hex << std::setw(8) << std::setfill('0') << flags << std::endl;
        calls_left--;
    });
    while (calls_left != 0) {
        pollfd request{watcher.descriptor(), POLLIN, 0};
        if (poll(&request, 1, -1) == 1) watcher.process();
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << std::endl;
    return 2;
}
