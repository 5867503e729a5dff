// A client and a server of pvxs, for run.py.

#define PVXS_ENABLE_EXPERT_API

#include <memory>

#include <pvxs/client.h>
#include <pvxs/nt.h>
#include <pvxs/server.h>
#include <pvxs/sharedpv.h>

#include "common.h"

namespace {

using namespace pvxs;

server::SharedPV open(const Value& value) {
    auto pv = server::SharedPV::buildReadonly();
    pv.open(value);
    return pv;
}

Value doubles(std::size_t count) {
    if (count == 1) {
        auto value = nt::NTScalar{TypeCode::Float64}.create();
        value["value"] = 0.0;
        return value;
    }
    auto value = nt::NTScalar{TypeCode::Float64A}.create();
    shared_array<double> array(count, 1.0);
    value["value"] = array.freeze().castTo<const void>();
    return value;
}

void serve() {
    auto server = server::Server::fromEnv();
    for (auto served : bench::SERVED)
        for (std::size_t n = 0; n < served.channels; ++n)
            server.addPV(bench::name(served.elements, n), open(doubles(served.elements)));
    auto image = nt::NTNDArray{}.create();
    shared_array<uint8_t> pixels(bench::PIXELS, 1);
    auto frozen = pixels.freeze();
    image["value->ubyteValue"] = frozen;
    auto pv = open(image);
    server.addPV("image", pv);
    server.start();
    bench::obey([&](int number) {
        auto update = image.cloneEmpty();
        update["uniqueId"] = number;
        update["value->ubyteValue"] = frozen;
        pv.post(update);
    });
    server.stop();
}

void measure(bench::Case what, double seconds) {
    auto context = client::Context::fromEnv();
    bench::Countdown begun(what.channels);
    bench::Rounds rounds(what.channels);
    std::vector<std::shared_ptr<client::Operation>> gets;
    for (std::size_t n = 0; n < what.channels; ++n) {
        auto get = context.get(bench::name(what.elements, n)).pvRequest("field(value)").autoExec(false);
        get.onInit([&](const Value&) { begun.done(); });
        get.result([](client::Result&& result) { result(); });
        gets.push_back(get.exec());
    }
    begun.wait("channels");
    std::size_t elements = what.elements;
    rounds.begin([&] {
        for (auto& get : gets)
            get->reExecGet([&rounds, elements](client::Result&& result) {
                auto value = result()["value"];
                if (elements > 1 && value.as<shared_array<const double>>().size() != elements)
                    bench::wrong("an array of another length");
                rounds.answered();
            });
    });
    bench::tell_rate(rounds.answers, seconds);
}

void watch(double seconds) {
    auto context = client::Context::fromEnv();
    std::atomic<std::size_t> counter{0};
    auto event = [&](client::Subscription& subscription) {
        while (auto image = subscription.pop())
            counter += image["value->ubyteValue"].as<shared_array<const uint8_t>>().size() == bench::PIXELS;
    };
    auto subscription = context.monitor("image").maskDisconnected().event(event).exec();
    bench::tell_rate(counter, seconds);
}

} // namespace

int main(int count, char** words) { return bench::main(count, words, serve, measure, watch); }
