// What the clients and servers of the C++ implementations have in common.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bench {

constexpr std::size_t PIXELS = 1024 * 1024;

// How many channels of so many doubles are served.
struct Served { std::size_t elements, channels; };
constexpr Served SERVED[] = {{1, 10000}, {1000, 1000}, {100000, 1}, {1000000, 1}};

inline std::string name(std::size_t elements, std::size_t number) {
    return std::to_string(elements) + ":" + std::to_string(number);
}

// `1000x1`: channels and elements of each.
struct Case {
    std::size_t channels, elements;

    explicit Case(const std::string& text) {
        auto x = text.find('x');
        if (x == std::string::npos) throw std::runtime_error("wanted CHANNELSxELEMENTS, found " + text);
        channels = std::stoul(text.substr(0, x));
        elements = std::stoul(text.substr(x + 1));
    }
};

// Waits until something has happened so often.
class Countdown {
    std::atomic<std::size_t> left;
    std::mutex mutex;
    std::condition_variable zero;

public:
    explicit Countdown(std::size_t count) : left(count) {}

    void done() {
        if (left.fetch_sub(1) == 1) {
            std::lock_guard<std::mutex> lock(mutex);
            zero.notify_one();
        }
    }

    void wait(const char* what) {
        std::unique_lock<std::mutex> lock(mutex);
        if (!zero.wait_for(lock, std::chrono::seconds(30), [this] { return left == 0; })) {
            std::fprintf(stderr, "%s: %zu are missing\n", what, left.load());
            std::_Exit(1);
        }
    }
};

// An answer is not what was asked for.
[[noreturn]] inline void wrong(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::_Exit(1);
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Rounds without end: all channels are asked, and as soon as the last has answered, all again, by the thread that took
// its answer. So no thread of ours has to be woken between two rounds.
class Rounds {
    std::atomic<std::size_t> left{0};
    std::size_t channels;
    std::function<void()> ask;

public:
    std::atomic<std::size_t> answers{0};

    Rounds(std::size_t channels) : channels(channels) {}

    void begin(std::function<void()> asks) {
        ask = std::move(asks);
        left = channels;
        ask();
    }

    void answered() {
        answers += 1;
        if (left.fetch_sub(1) == 1) {
            left = channels;
            ask();
        }
    }
};

// Tells how often per second `counter` is raised, and ends the program as it stands: what is measured goes on.
[[noreturn]] inline void tell_rate(const std::atomic<std::size_t>& counter, double seconds) {
    auto begin = std::chrono::steady_clock::now();
    while (counter < 10) {
        if (seconds_since(begin) > 10) wrong("no answers");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::size_t first = counter;
    begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    std::cout << (counter - first) / seconds_since(begin) << std::endl;
    std::_Exit(0);
}

// Posts images between the lines `images` and `quiet`: more of them than can be sent, but without taking the
// processor from who sends.
template <typename Post> void obey(Post post) {
    std::atomic<bool> posting{false}, ended{false};
    std::thread thread([&] {
        for (int number = 1; !ended; ++number) {
            if (posting) post(number);
            std::this_thread::sleep_for(std::chrono::microseconds(posting ? 50 : 5000));
        }
    });
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        posting = line == "images";
        std::cout << "ok" << std::endl;
    }
    ended = true;
    thread.join();
}

// `server`, or `client CASE SECONDS`.
template <typename Serve, typename Measure, typename Watch>
int main(int count, char** words, Serve serve, Measure measure, Watch watch) {
    if (count == 2 && std::string(words[1]) == "server") {
        serve();
    } else if (count == 4 && std::string(words[1]) == "client") {
        std::string what = words[2];
        double seconds = std::stod(words[3]);
        what == "image" ? watch(seconds) : measure(Case(what), seconds);
    } else {
        wrong("wanted `server` or `client CASE SECONDS`");
    }
    return 0;
}

} // namespace bench
