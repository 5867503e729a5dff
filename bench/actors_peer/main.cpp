// The patterns of `livetime-bench actors`, built on SObjectizer, so that both can be measured in turn on one machine.
// Prints one JSON object: {"rows":[{"pattern":..,"ns":..},..]}. Usage: actors_peer [--quick]
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/resource.h>

#include <so_5/all.hpp>

using clock_type = std::chrono::steady_clock;

namespace {

double ns_since(clock_type::time_point start) {
    return std::chrono::duration<double, std::nano>(clock_type::now() - start).count();
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct row {
    std::string pattern;
    double ns;
    double p50_ns = -1;
    double p99_ns = -1;
    double cpu = -1;
};

using finished = std::promise<double>;

// ---- Two agents that throw a ball to each other ----

struct ball {
    unsigned long left;
};

class player final : public so_5::agent_t {
public:
    player(context_t ctx, finished* done) : so_5::agent_t{ctx}, m_done{done} {
        so_subscribe_self().event([this](const ball& b) { on_ball(b); });
    }
    void meet(so_5::mbox_t other, unsigned long rounds) {
        m_other = std::move(other);
        m_rounds = rounds;
    }
    void so_evt_start() override {
        if (m_rounds > 0) {
            m_start = clock_type::now();
            so_5::send<ball>(m_other, ball{m_rounds});
        }
    }

private:
    void on_ball(const ball& b) {
        if (b.left == 0) {
            m_done->set_value(ns_since(m_start));
        } else {
            so_5::send<ball>(m_other, ball{b.left - 1});
        }
    }
    finished* m_done;
    so_5::mbox_t m_other;
    unsigned long m_rounds = 0;
    clock_type::time_point m_start;
};

// Time per throw, when both share a thread or have one each. `throws` is odd, so that the ball ends where it began.
double throw_ns(bool one_thread, unsigned long throws) {
    finished done;
    so_5::wrapped_env_t env;
    env.environment().introduce_coop(
        one_thread ? so_5::disp::one_thread::make_dispatcher(env.environment()).binder()
                   : so_5::disp::active_obj::make_dispatcher(env.environment()).binder(),
        [&](so_5::coop_t& coop) {
            auto* a = coop.make_agent<player>(&done);
            auto* b = coop.make_agent<player>(&done);
            a->meet(b->so_direct_mbox(), throws);
            b->meet(a->so_direct_mbox(), 0);
        });
    return done.get_future().get() / double(throws + 1);
}

// ---- Producers, one channel, subscribers on threads of their own ----

// The message itself: SObjectizer allocates it once, counts its references, and hands it to all subscribers.
struct picture {
    unsigned long number;
    std::array<unsigned char, 64> bytes{};
};

class counter final : public so_5::agent_t {
public:
    counter(context_t ctx, so_5::mbox_t from, unsigned long wanted, std::atomic<int>* left, finished* done)
        : so_5::agent_t{ctx}, m_wanted{wanted}, m_left{left}, m_done{done} {
        so_subscribe(from).event([this](const picture&) {
            if (++m_seen == m_wanted && m_left->fetch_sub(1) == 1) m_done->set_value(0);
        });
    }

private:
    unsigned long m_wanted, m_seen = 0;
    std::atomic<int>* m_left;
    finished* m_done;
};

struct go final : public so_5::signal_t {};
struct again final : public so_5::signal_t {};

// Sends 64 pictures at a time, so that it could be told to stop in between.
class producer final : public so_5::agent_t {
public:
    producer(context_t ctx, so_5::mbox_t starts, so_5::mbox_t to, unsigned long pictures)
        : so_5::agent_t{ctx}, m_to{std::move(to)}, m_left{pictures} {
        so_subscribe(starts).event([this](mhood_t<go>) { step(); });
        so_subscribe_self().event([this](mhood_t<again>) { step(); });
    }

private:
    void step() {
        const unsigned long count = std::min(m_left, 64ul);
        for (unsigned long i = 0; i < count; ++i) so_5::send<picture>(m_to, picture{m_left - i});
        m_left -= count;
        if (m_left > 0) so_5::send<again>(*this);
    }
    so_5::mbox_t m_to;
    unsigned long m_left;
};

enum class senders { agents, threads };

// Time per picture from the start signal to the last handler. Producers are agents on threads of their own, or plain
// threads; all are there and at rest before the clock starts.
double flood_ns(senders who, int producers, int subscribers, unsigned long pictures) {
    finished done;
    std::atomic<int> left{subscribers};
    so_5::wrapped_env_t env;
    auto channel = env.environment().create_mbox();
    auto starts = env.environment().create_mbox();
    const unsigned long all = pictures * (unsigned long)producers;
    env.environment().introduce_coop(
        so_5::disp::active_obj::make_dispatcher(env.environment()).binder(), [&](so_5::coop_t& coop) {
            for (int i = 0; i < subscribers; ++i) coop.make_agent<counter>(channel, all, &left, &done);
            for (int i = 0; who == senders::agents && i < producers; ++i)
                coop.make_agent<producer>(starts, channel, pictures);
        });
    std::promise<void> opened;
    auto open = opened.get_future().share();
    std::vector<std::thread> threads;
    for (int p = 0; who == senders::threads && p < producers; ++p)
        threads.emplace_back([&channel, open, pictures] {
            open.wait();
            for (unsigned long i = 0; i < pictures; ++i) so_5::send<picture>(channel, picture{i});
        });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto start = clock_type::now();
    if (who == senders::agents)
        so_5::send<go>(starts);
    else
        opened.set_value();
    done.get_future().wait();
    double ns = ns_since(start) / double(all);
    for (auto& t : threads) t.join();
    return ns;
}

// ---- Waiting time of regular frames ----

struct stamped {
    clock_type::time_point sent;
};

// Sender and receiver have a CPU each, if there are two: as in the pattern that this is compared with.
void pin(int cpu) {
    if (std::thread::hardware_concurrency() < 2) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

class listener final : public so_5::agent_t {
public:
    void so_evt_start() override { pin(1); }
    listener(context_t ctx, so_5::mbox_t from, unsigned long wanted, std::vector<double>* waits, finished* done)
        : so_5::agent_t{ctx} {
        so_subscribe(from).event([=](const stamped& s) {
            waits->push_back(ns_since(s.sent));
            if (waits->size() == wanted) done->set_value(0);
        });
    }
};

row waiting(const char* name, bool parked, unsigned long frames) {
    finished done;
    std::vector<double> waits;
    waits.reserve(frames);
    so_5::wrapped_env_t env;
    auto channel = env.environment().create_mbox();
    so_5::disp::one_thread::disp_params_t params;
    if (parked)
        params.tune_queue_params(
            [](auto& q) { q.lock_factory(so_5::disp::mpsc_queue_traits::simple_lock_factory()); });
    env.environment().introduce_coop(
        so_5::disp::one_thread::make_dispatcher(env.environment(), "", params).binder(),
        [&](so_5::coop_t& coop) { coop.make_agent<listener>(channel, frames, &waits, &done); });
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    pin(0);
    double cpu = cpu_seconds();
    auto start = clock_type::now();
    timespec before{}, after{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    for (unsigned long i = 0; i < frames; ++i) {
        std::this_thread::sleep_until(start + std::chrono::microseconds(500) * (i + 1));
        so_5::send<stamped>(channel, stamped{clock_type::now()});
    }
    sched_setaffinity(0, sizeof all, &all);
    done.get_future().wait();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    double sender = double(after.tv_sec - before.tv_sec) + double(after.tv_nsec - before.tv_nsec) * 1e-9;
    double elapsed = ns_since(start) * 1e-9;
    cpu = (cpu_seconds() - cpu - sender) / elapsed;
    std::sort(waits.begin(), waits.end());
    double p50 = waits[waits.size() / 2], p99 = waits[waits.size() * 99 / 100];
    return {name, p50, p50, p99, cpu};
}

// ---- A time limit that every frame renews ----

class watcher final : public so_5::agent_t {
public:
    watcher(context_t ctx, bool limited, unsigned long rounds, finished* done)
        : so_5::agent_t{ctx}, m_limited{limited}, m_rounds{rounds}, m_done{done} {
        so_subscribe_self().in(m_live).event([this](const ball& b) {
            if (m_limited) m_live.time_limit(std::chrono::milliseconds(500), m_down);
            next(b.left);
        });
    }
    void so_evt_start() override {
        m_live.activate();
        m_start = clock_type::now();
        next(m_rounds);
    }

private:
    void next(unsigned long left) {
        if (left == 0)
            m_done->set_value(ns_since(m_start));
        else
            so_5::send<ball>(*this, ball{left - 1});
    }
    bool m_limited;
    unsigned long m_rounds;
    finished* m_done;
    state_t m_live{this, "live"};
    state_t m_down{this, "down"};
    clock_type::time_point m_start;
};

double watched_ns(bool limited, unsigned long rounds) {
    finished done;
    so_5::wrapped_env_t env;
    env.environment().introduce_coop(
        [&](so_5::coop_t& coop) { coop.make_agent<watcher>(limited, rounds, &done); });
    return done.get_future().get() / double(rounds);
}

// ---- A message refused at a limit ----

// A reference to something that all messages share.
using frame = std::shared_ptr<picture>;

class full final : public so_5::agent_t {
public:
    full(context_t ctx, std::shared_future<void> released)
        : so_5::agent_t{ctx + limit_then_drop<ball>(1u) + limit_then_drop<frame>(1u)} {
        so_subscribe_self().event([released](const ball&) { released.wait(); }).event([](const frame&) {});
    }
};

double refused_ns(unsigned long messages) {
    std::promise<void> go;
    so_5::wrapped_env_t env;
    so_5::mbox_t box;
    env.environment().introduce_coop([&](so_5::coop_t& coop) {
        box = coop.make_agent<full>(go.get_future().share())->so_direct_mbox();
    });
    so_5::send<ball>(box, ball{0});
    auto picture_of_all = std::make_shared<picture>();
    so_5::send<frame>(box, picture_of_all);
    auto start = clock_type::now();
    for (unsigned long i = 0; i < messages; ++i) so_5::send<frame>(box, picture_of_all);
    double ns = ns_since(start) / double(messages);
    go.set_value();
    return ns;
}

// ---- Many agents ----

class idle final : public so_5::agent_t {
public:
    idle(context_t ctx, std::atomic<unsigned long>* left, finished* done)
        : so_5::agent_t{ctx}, m_left{left}, m_done{done} {}
    void so_evt_start() override {
        if (m_left->fetch_sub(1) == 1) m_done->set_value(0);
    }

private:
    std::atomic<unsigned long>* m_left;
    finished* m_done;
};

// Cooperations of one agent each, started one after the other by an agent.
class parent final : public so_5::agent_t {
public:
    parent(context_t ctx, unsigned long agents, std::atomic<unsigned long>* left, finished* done)
        : so_5::agent_t{ctx}, m_agents{agents}, m_left{left}, m_done{done} {
        so_subscribe_self().event([this](mhood_t<go>) {
            for (unsigned long i = 0; i < m_agents; ++i)
                so_environment().introduce_coop([&](so_5::coop_t& coop) { coop.make_agent<idle>(m_left, m_done); });
        });
    }

private:
    unsigned long m_agents;
    std::atomic<unsigned long>* m_left;
    finished* m_done;
};

double start_from_agent_ns(unsigned long agents) {
    finished done;
    std::atomic<unsigned long> left{agents};
    so_5::wrapped_env_t env;
    so_5::mbox_t box;
    env.environment().introduce_coop([&](so_5::coop_t& coop) {
        box = coop.make_agent<parent>(agents, &left, &done)->so_direct_mbox();
    });
    auto start = clock_type::now();
    so_5::send<go>(box);
    done.get_future().wait();
    return ns_since(start) / double(agents);
}

// The same from a plain thread: the agents run on another one.
double start_ns(unsigned long agents) {
    finished done;
    std::atomic<unsigned long> left{agents};
    so_5::wrapped_env_t env;
    auto start = clock_type::now();
    for (unsigned long i = 0; i < agents; ++i)
        env.environment().introduce_coop([&](so_5::coop_t& coop) { coop.make_agent<idle>(&left, &done); });
    done.get_future().wait();
    return ns_since(start) / double(agents);
}

class link final : public so_5::agent_t {
public:
    explicit link(context_t ctx, finished* done) : so_5::agent_t{ctx}, m_done{done} {
        so_subscribe_self().event([this](const ball& b) {
            if (b.left == 0)
                m_done->set_value(0);
            else
                so_5::send<ball>(next, ball{b.left - 1});
        });
    }
    so_5::mbox_t next;

private:
    finished* m_done;
};

double ring_ns(unsigned long agents, unsigned long hops) {
    finished done;
    so_5::wrapped_env_t env;
    so_5::mbox_t first;
    env.environment().introduce_coop([&](so_5::coop_t& coop) {
        std::vector<link*> links;
        for (unsigned long i = 0; i < agents; ++i) links.push_back(coop.make_agent<link>(&done));
        for (unsigned long i = 0; i < agents; ++i) links[i]->next = links[(i + 1) % agents]->so_direct_mbox();
        first = links[0]->so_direct_mbox();
    });
    auto start = clock_type::now();
    so_5::send<ball>(first, ball{hops});
    done.get_future().wait();
    return ns_since(start) / double(hops);
}

// Every agent but the leaves starts ten and adds up what they send.
class skynet final : public so_5::agent_t {
public:
    skynet(context_t ctx, so_5::mbox_t parent, unsigned long number, unsigned long size)
        : so_5::agent_t{ctx}, m_parent{std::move(parent)}, m_number{number}, m_size{size} {}
    void so_evt_start() override {
        if (m_size == 1) {
            so_5::send<unsigned long>(m_parent, m_number);
            return;
        }
        so_subscribe_self().event([this](unsigned long number) {
            m_sum += number;
            if (++m_answers == 10) so_5::send<unsigned long>(m_parent, m_sum);
        });
        so_5::introduce_child_coop(*this, [this](so_5::coop_t& coop) {
            for (unsigned long i = 0; i < 10; ++i)
                coop.make_agent<skynet>(so_direct_mbox(), m_number + i * (m_size / 10), m_size / 10);
        });
    }

private:
    so_5::mbox_t m_parent;
    unsigned long m_number, m_size, m_sum = 0;
    int m_answers = 0;
};

double skynet_ns(unsigned long leaves) {
    so_5::wrapped_env_t env;
    auto answer = so_5::create_mchain(env);
    auto start = clock_type::now();
    env.environment().introduce_coop(
        [&](so_5::coop_t& coop) { coop.make_agent<skynet>(answer->as_mbox(), 0ul, leaves); });
    unsigned long sum = 0;
    so_5::receive(so_5::from(answer).handle_n(1), [&](unsigned long s) { sum = s; });
    double ns = ns_since(start);
    if (sum != leaves * (leaves - 1) / 2) std::fprintf(stderr, "skynet: wrong sum %lu\n", sum);
    return ns;
}

void print(const std::vector<row>& rows) {
    std::printf("{\"engine\":\"SObjectizer 5.%d.%d\",\"rows\":[", SO_5_VERSION_MAJOR,
                SO_5_VERSION_MINOR);
    for (size_t i = 0; i < rows.size(); ++i) {
        const row& r = rows[i];
        std::printf("%s\n {\"pattern\":\"%s\",\"ns\":%.1f", i ? "," : "", r.pattern.c_str(), r.ns);
        if (r.p50_ns >= 0) std::printf(",\"p50_ns\":%.0f,\"p99_ns\":%.0f,\"cores\":%.3f", r.p50_ns, r.p99_ns, r.cpu);
        std::printf("}");
    }
    std::printf("\n]}\n");
}

}  // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const unsigned long scale = quick ? 10 : 1;
    std::vector<row> rows;
    rows.push_back({"hop on one thread", throw_ns(true, 2'000'001 / scale | 1)});
    rows.push_back({"round trip between two threads", 2 * throw_ns(false, 400'001 / scale | 1)});
    rows.push_back({"one to one", flood_ns(senders::agents, 1, 1, 1'000'000 / scale)});
    rows.push_back({"one to eight", flood_ns(senders::agents, 1, 8, 200'000 / scale)});
    rows.push_back({"four to one", flood_ns(senders::agents, 4, 1, 250'000 / scale)});
    rows.push_back({"one to one, from a plain thread", flood_ns(senders::threads, 1, 1, 1'000'000 / scale)});
    rows.push_back({"four to one, from plain threads", flood_ns(senders::threads, 4, 1, 250'000 / scale)});
    rows.push_back(waiting("waiting at 2 kHz", false, 4'000 / scale));
    rows.push_back(waiting("waiting at 2 kHz, parked", true, 4'000 / scale));
    double plain = watched_ns(false, 1'000'000 / scale);
    rows.push_back({"time limit per frame", watched_ns(true, 1'000'000 / scale) - plain});
    rows.push_back({"refused at a limit", refused_ns(5'000'000 / scale)});
    rows.push_back({"start an agent", start_from_agent_ns(100'000 / scale)});
    rows.push_back({"start a group, from a plain thread", start_ns(100'000 / scale)});
    rows.push_back({"ring of agents, per hop", ring_ns(1000, 2'000'000 / scale)});
    rows.push_back({"skynet", skynet_ns(quick ? 10'000 : 1'000'000)});
    print(rows);
}
