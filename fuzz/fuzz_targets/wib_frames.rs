//! Any bytes as frames of the wire readout, unpacked and searched for hits by every level alike.
//!
//! `cargo +nightly fuzz run --no-default-features wib_frames`
#![no_main]

use livetime_formats::wib::{Superchunk, Wib1Check, Wib1Frame, Wib1Identity, Wib2Frame, WibEthFrame};
use livetime_kernels::Level;
use livetime_kernels::hits::{FinderSetup, Hit, HitBuffer, HitFinder, SampleBits, SeedHits};
use livetime_kernels::wib::{WIB1_BYTES, unpack_wib1, unpack_wib2, unpack_wibeth};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = (Wib1Frame::parse(data), Superchunk::parse(data));
    let mut bytes = data.to_vec();
    bytes.resize(WibEthFrame::BYTES, 0x5A);
    let mut check = Wib1Check::new(Wib1Identity { crate_number: 1, slot: 0, fiber: 1 });
    (check.checksums, check.convert_counts) = (true, true);
    for frame in bytes.chunks_exact(WIB1_BYTES) {
        let _ = check.next(&Wib1Frame::parse(frame).expect("whole")).to_string();
    }
    let wib2 = Wib2Frame::parse(&bytes[..Wib2Frame::BYTES]).expect("whole");
    let ethernet = WibEthFrame::parse(&bytes).expect("whole");
    let _ = (wib2.timestamp(), ethernet.first_channel(), ethernet.missing_since(0));
    let mut all: Vec<(Vec<i16>, Vec<Hit>)> = Vec::new();
    for level in Level::available() {
        let mut samples = vec![0; 64 * 64 + 256 + 15 * 256];
        let (first, rest) = samples.split_at_mut(64 * 64);
        let (second, third) = rest.split_at_mut(256);
        unpack_wibeth(level, &bytes, first).expect("fits");
        unpack_wib2(level, wib2.bytes(), second).expect("fits");
        unpack_wib1(level, &bytes[..15 * WIB1_BYTES], third).expect("fits");
        let mut hits = HitBuffer::with_capacity(1000);
        SeedHits::new(256, 3).expect("fits").find(level, third, -7, &mut hits).expect("whole rows");
        let setup = FinderSetup { bipolar: [true; 3], ..FinderSetup::new(SampleBits::Fourteen) };
        HitFinder::new(&[0; 64], setup).expect("fits").find(level, first, i64::MAX, &mut hits).expect("whole rows");
        all.push((samples, hits.hits().to_vec()));
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]));
});
