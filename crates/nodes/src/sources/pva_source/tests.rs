use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{Value, time_of_day_ns};
use livetime_frame::{ColorMode, DType, FramePool, Layout};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};
use livetime_pva::wire::BitSet;

use super::*;
use crate::ntndarray::ImageWriter;

/// A server on loopback with an image.
struct Camera {
    server: Server,
    pv: SharedPv,
    writer: ImageWriter,
    pool: FramePool,
}

impl Camera {
    fn start() -> Camera {
        let pv = SharedPv::new(livetime_pva::data::Value::new(&nt::ndarray()));
        let pvs = PvMap::new();
        pvs.add("image", pv.clone());
        let server = Server::start(ServerConfig::loopback(), pvs).unwrap();
        Camera { server, pv, writer: ImageWriter::new().unwrap(), pool: FramePool::new(1 << 24) }
    }

    fn show(&mut self, number: u64) {
        self.show_as(number, [30, 40]);
    }

    fn show_as(&mut self, number: u64, shape: [usize; 2]) {
        let layout = Layout::packed(DType::U16, ColorMode::Mono, &shape).unwrap();
        let mut frame = self.pool.allocator().array(layout).unwrap();
        frame.elements_mut::<u16>().unwrap().fill(number as u16);
        let header = frame.header_mut();
        (header.sequence, header.event_time_ns) = (number, time_of_day_ns());
        self.pv.post(self.writer.write(&frame.freeze()).unwrap(), &BitSet::from_iter([0])).unwrap();
    }

    fn params(&self) -> Vec<(&'static str, Value)> {
        let address = self.server.tcp_address().to_string();
        vec![
            ("channel", "image".into()),
            ("auto_addresses", false.into()),
            ("name_servers", (&*address).into()),
        ]
    }
}

/// Waits until the node watches.
fn watch(node: &mut Harness, camera: &Camera) {
    for _ in 0..2000 {
        assert_eq!(node.produce().unwrap().0.len(), 0);
        if camera.pv.subscribers() > 0 {
            return;
        }
    }
    panic!("the node does not connect");
}

fn take(node: &mut Harness, count: usize) -> Vec<(u64, u16)> {
    let mut taken = Vec::new();
    for _ in 0..2000 {
        for frame in node.produce().unwrap().0 {
            let array = frame.array().unwrap();
            let pixels = array.elements::<u16>().unwrap();
            assert!(pixels.iter().all(|p| *p == pixels[0]) && pixels.len() == 1200);
            taken.push((frame.header().sequence, pixels[0]));
        }
        if taken.len() >= count {
            return taken;
        }
    }
    panic!("wanted {count} frames, found {taken:?}");
}

#[test]
fn images_come_as_frames_and_gaps_are_counted() {
    let mut camera = Camera::start();
    let mut node = Harness::new::<PvaSource>(&camera.params()).unwrap();
    watch(&mut node, &camera);
    (100..105).for_each(|number| camera.show(number));
    let frames = take(&mut node, 5);
    assert_eq!(frames, [(100, 100), (101, 101), (102, 102), (103, 103), (104, 104)]);
    // The camera itself left three out.
    camera.show(108);
    assert_eq!(take(&mut node, 1), [(108, 108)]);
    assert_eq!((node.number_of("missed"), node.number_of("frames")), (3.0, 6.0));
    // The server counts from the beginning: the number of missed images is unknown.
    camera.show(1);
    camera.show(2);
    assert_eq!(take(&mut node, 2), [(109, 1), (110, 2)]);
    assert_eq!((node.number_of("restarted"), node.number_of("missed")), (1.0, 3.0));
}

#[test]
fn large_images_stay_where_they_were_received() {
    let mut camera = Camera::start();
    let mut node = Harness::new::<PvaSource>(&camera.params()).unwrap();
    watch(&mut node, &camera);
    let mut last = None;
    for number in 0..6 {
        camera.show_as(number, [300, 400]);
        let frame = (0..2000).find_map(|_| node.produce().unwrap().0.pop()).unwrap();
        let array = frame.array().unwrap();
        assert!(array.elements::<u16>().unwrap().iter().all(|p| u64::from(*p) == number));
        // A part of it lies there too, and keeps it alive.
        let (rows, start) = array.layout().crop(0, 1, 2).unwrap();
        last = Some((node.view(&frame, rows, start).unwrap(), number));
    }
    let (view, number) = last.unwrap();
    assert!(view.array().unwrap().elements::<u16>().unwrap().iter().all(|p| u64::from(*p) == number));
    // At most the first image is in the memory of the run.
    assert!(node.pool().statistics().used_bytes < 2 * 240_000, "{:?}", node.pool().statistics());
}

#[test]
fn what_is_merged_is_in_the_gaps() {
    let mut camera = Camera::start();
    let mut params = camera.params();
    params.push(("queue", 2.into()));
    let mut node = Harness::new::<PvaSource>(&params).unwrap();
    watch(&mut node, &camera);
    (0..200).for_each(|number| camera.show(number));
    let mut frames = Vec::new();
    while frames.last().is_none_or(|(_, pixel)| *pixel != 199) {
        frames.extend(take(&mut node, 1));
    }
    // Each frame has the number that the camera gave, and the rest is missed.
    let first = u64::from(frames[0].1);
    assert!(frames.iter().all(|(number, pixel)| *number == u64::from(*pixel)), "{frames:?}");
    let missed = node.number_of("missed") as usize;
    assert_eq!(frames.len() + missed, 200 - first as usize);
}

#[test]
fn what_comes_while_nothing_is_acquired_is_not_missed() {
    let mut camera = Camera::start();
    let mut node = Harness::new::<PvaSource>(&camera.params()).unwrap();
    watch(&mut node, &camera);
    camera.show(1);
    take(&mut node, 1);
    node.set("acquire", false).unwrap();
    assert_eq!(node.produce().unwrap().1, Next::Idle);
    (2..5).for_each(|number| camera.show(number));
    node.set("acquire", true).unwrap();
    // The newest image comes at once.
    assert_eq!(take(&mut node, 1), [(2, 4)]);
    assert_eq!(node.number_of("missed"), 0.0);
}

#[test]
fn an_acquisition_has_as_many_images_as_are_wanted() {
    let mut camera = Camera::start();
    camera.show(50);
    let mut params = camera.params();
    params.extend([
        ("image_mode", "multiple".into()),
        ("num_images", 3.into()),
        ("finish_when_done", false.into()),
    ]);
    let mut node = Harness::new::<PvaSource>(&params).unwrap();
    for (first, mode, wanted) in [(100, "multiple", 3), (200, "single", 1)] {
        node.set("image_mode", mode).unwrap();
        node.set("acquire", true).unwrap();
        // The image that is there already is from before the acquisition.
        watch(&mut node, &camera);
        (0..10).for_each(|number| camera.show(first + number));
        let frames = take(&mut node, wanted);
        assert!(
            frames.iter().map(|(_, pixel)| u64::from(*pixel)).eq(first..first + wanted as u64),
            "{frames:?}"
        );
        let (more, next) = node.produce().unwrap();
        assert_eq!((more.len(), next), (0, Next::Idle));
        assert_eq!(node.number_of("num_images_counter"), wanted as f64);
        assert_eq!(node.get("detector_state"), Some("idle".into()));
        // The source's subscription ends.
        while camera.pv.subscribers() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    assert_eq!((node.number_of("frames"), node.number_of("missed")), (4.0, 0.0));
}

#[test]
fn a_name_is_needed() {
    let error = Harness::new::<PvaSource>(&[("auto_addresses", false.into())]).err().unwrap();
    assert_eq!(error.to_string(), "`channel`: wanted the name of a channel, found nothing");
}

/// Shows images until it is dropped.
struct Running(Arc<AtomicBool>, Option<JoinHandle<()>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.take().unwrap().join().unwrap();
    }
}

fn run(camera: Arc<Mutex<Camera>>) -> Running {
    let ended = Arc::new(AtomicBool::new(false));
    let seen = ended.clone();
    let thread = std::thread::spawn(move || {
        let mut number = 0;
        while !seen.load(Ordering::Relaxed) {
            camera.lock().unwrap().show(number);
            number += 1;
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    Running(ended, Some(thread))
}

#[test]
fn keeps_the_contract() {
    let camera = Arc::new(Mutex::new(Camera::start()));
    let params = camera.lock().unwrap().params();
    let _running = run(camera);
    assert_compliant::<PvaSource>(&params);
}
