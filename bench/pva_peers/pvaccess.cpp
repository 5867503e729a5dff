// A client and a server of pvAccessCPP, for run.py.

#include <memory>

#include <pv/clientFactory.h>
#include <pv/createRequest.h>
#include <pv/pvAccess.h>
#include <pv/pvData.h>
#include <pv/serverContext.h>
#include <pv/standardField.h>
#include <pva/client.h>
#include <pva/server.h>
#include <pva/sharedstate.h>

#include "common.h"

namespace pvd = epics::pvData;
namespace pva = epics::pvAccess;

namespace {

pvd::PVStructurePtr request(const char* text) { return pvd::createRequest(text); }

pvas::SharedPV::shared_pointer open(const pvd::PVStructure& value) {
    auto pv = pvas::SharedPV::buildReadOnly();
    pv->open(value);
    return pv;
}

pvd::PVStructurePtr doubles(std::size_t count) {
    auto field = pvd::getStandardField();
    if (count == 1) return pvd::getPVDataCreate()->createPVStructure(field->scalar(pvd::pvDouble, ""));
    auto value = pvd::getPVDataCreate()->createPVStructure(field->scalarArray(pvd::pvDouble, ""));
    pvd::shared_vector<double> array(count, 1.0);
    value->getSubFieldT<pvd::PVDoubleArray>("value")->replace(pvd::freeze(array));
    return value;
}

// An NTNDArray; pvAccessCPP itself does not know the Normative Types.
pvd::StructureConstPtr ndarray() {
    auto create = pvd::getFieldCreate();
    auto standard = pvd::getStandardField();
    auto codec = create->createFieldBuilder()->setId("codec_t")->add("name", pvd::pvString)
        ->add("parameters", create->createVariantUnion())->createStructure();
    auto dimension = create->createFieldBuilder()->setId("dimension_t")->add("size", pvd::pvInt)
        ->add("offset", pvd::pvInt)->add("fullSize", pvd::pvInt)->add("binning", pvd::pvInt)
        ->add("reverse", pvd::pvBoolean)->createStructure();
    auto attribute = create->createFieldBuilder()->setId("epics:nt/NTAttribute:1.0")->add("name", pvd::pvString)
        ->add("value", create->createVariantUnion())->addArray("tags", pvd::pvString)->add("descriptor", pvd::pvString)
        ->add("alarm", standard->alarm())->add("timestamp", standard->timeStamp())->add("sourceType", pvd::pvInt)
        ->add("source", pvd::pvString)->createStructure();
    auto values = create->createFieldBuilder();
    for (auto kind : {pvd::pvBoolean, pvd::pvByte, pvd::pvShort, pvd::pvInt, pvd::pvLong, pvd::pvUByte, pvd::pvUShort,
                      pvd::pvUInt, pvd::pvULong, pvd::pvFloat, pvd::pvDouble})
        values->addArray(std::string(pvd::ScalarTypeFunc::name(kind)) + "Value", kind);
    return create->createFieldBuilder()->setId("epics:nt/NTNDArray:1.0")->add("value", values->createUnion())
        ->add("codec", codec)->add("compressedSize", pvd::pvLong)->add("uncompressedSize", pvd::pvLong)
        ->addArray("dimension", dimension)->add("uniqueId", pvd::pvInt)
        ->add("dataTimeStamp", standard->timeStamp())->addArray("attribute", attribute)
        ->add("descriptor", pvd::pvString)->add("alarm", standard->alarm())
        ->add("timeStamp", standard->timeStamp())->add("display", standard->display())->createStructure();
}

void serve() {
    pvas::StaticProvider provider("bench");
    for (auto served : bench::SERVED)
        for (std::size_t n = 0; n < served.channels; ++n)
            provider.add(bench::name(served.elements, n), open(*doubles(served.elements)));
    auto image = pvd::getPVDataCreate()->createPVStructure(ndarray());
    pvd::shared_vector<pvd::uint8> pixels(bench::PIXELS, 1);
    auto frozen = pvd::freeze(pixels);
    auto value = image->getSubFieldT<pvd::PVUnion>("value");
    value->select<pvd::PVUByteArray>("ubyteValue")->replace(frozen);
    auto pv = open(*image);
    provider.add("image", pv);
    auto server = pva::ServerContext::create(pva::ServerContext::Config().provider(provider.provider()));
    pvd::BitSet changed;
    changed.set(value->getFieldOffset());
    changed.set(image->getSubFieldT("uniqueId")->getFieldOffset());
    bench::obey([&](int number) {
        auto update = pv->build();
        update->getSubFieldT<pvd::PVInt>("uniqueId")->put(number);
        update->getSubFieldT<pvd::PVUnion>("value")->select<pvd::PVUByteArray>("ubyteValue")->replace(frozen);
        pv->post(*update, changed);
    });
    server->shutdown();
}

struct Requester : pva::ChannelGetRequester {
    bench::Countdown& begun;
    bench::Rounds& rounds;
    std::size_t elements;

    Requester(bench::Countdown& begun, bench::Rounds& rounds, std::size_t elements)
        : begun(begun), rounds(rounds), elements(elements) {}

    std::string getRequesterName() override { return "bench"; }

    void channelGetConnect(const pvd::Status& status, const pva::ChannelGet::shared_pointer&,
                           const pvd::StructureConstPtr&) override {
        if (!status.isSuccess()) bench::wrong(status.getMessage());
        begun.done();
    }

    void getDone(const pvd::Status& status, const pva::ChannelGet::shared_pointer&,
                 const pvd::PVStructurePtr& value, const pvd::BitSetPtr&) override {
        if (!status.isSuccess()) bench::wrong(status.getMessage());
        if (elements > 1 && value->getSubFieldT<pvd::PVDoubleArray>("value")->view().size() != elements)
            bench::wrong("an array of another length");
        rounds.answered();
    }
};

void measure(bench::Case what, double seconds) {
    pva::ClientFactory::start();
    auto provider = pva::ChannelProviderRegistry::clients()->getProvider("pva");
    bench::Countdown begun(what.channels);
    bench::Rounds rounds(what.channels);
    auto requester = std::make_shared<Requester>(begun, rounds, what.elements);
    std::vector<pva::Channel::shared_pointer> channels;
    std::vector<pva::ChannelGet::shared_pointer> gets;
    for (std::size_t n = 0; n < what.channels; ++n) {
        channels.push_back(provider->createChannel(bench::name(what.elements, n)));
        gets.push_back(channels.back()->createChannelGet(requester, request("field(value)")));
    }
    begun.wait("channels");
    rounds.begin([&] {
        for (auto& get : gets) get->get();
    });
    bench::tell_rate(rounds.answers, seconds);
}

struct Watcher : pvac::ClientChannel::MonitorCallback {
    pvac::Monitor monitor;
    std::atomic<std::size_t> counter{0};

    void monitorEvent(const pvac::MonitorEvent& event) override {
        if (event.event != pvac::MonitorEvent::Data) return;
        while (monitor.poll()) {
            auto pixels = monitor.root->getSubFieldT<pvd::PVUnion>("value")->get<pvd::PVUByteArray>();
            counter += pixels && pixels->view().size() == bench::PIXELS;
        }
    }
};

void watch(double seconds) {
    pvac::ClientProvider provider("pva");
    auto channel = provider.connect("image");
    Watcher watcher;
    watcher.monitor = channel.monitor(&watcher, request("field()"));
    bench::tell_rate(watcher.counter, seconds);
}

} // namespace

int main(int count, char** words) { return bench::main(count, words, serve, measure, watch); }
