//! The camera that `arv-fake-gv-camera-0.8` simulates: GigE Vision through the loopback device.

use std::fs::File;
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use livetime_engine::{LossReason, Report};

use crate::common::*;

/// GigE Vision has one port for control, so one camera is simulated at a time on a machine.
struct Simulator {
    child: Child,
    args: Vec<String>,
    serial: String,
    _alone: File,
}

impl Simulator {
    /// A camera that loses this many of 1000 packets; `None` is a skip on record.
    fn start(lost_per_1000: u32) -> Option<Simulator> {
        if !has_aravis() {
            return None;
        }
        let alone = File::create(std::env::temp_dir().join("livetime-gige-vision.lock")).unwrap();
        alone.lock().unwrap();
        let serial = format!("LT{}", std::process::id());
        let args = ["-i", "127.0.0.1", "-s", &serial, "-r", &lost_per_1000.to_string()].map(String::from);
        match spawn(&args, &serial) {
            Ok(child) => Some(Simulator { child, args: args.to_vec(), serial, _alone: alone }),
            Err(error) => {
                let reason = format!("arv-fake-gv-camera-0.8: {error}; apt-get install aravis-tools");
                livetime_testkit::skip("peer/aravis", &reason);
                None
            }
        }
    }

    /// The simulated camera's name in the library.
    fn name(&self) -> String {
        format!("Aravis-{}", self.serial)
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn restart(&mut self) {
        self.child = spawn(&self.args, &self.serial).unwrap();
    }
}

/// Not by a signal that lets it say goodbye: the camera is to be gone at once.
impl Drop for Simulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where cameras of GigE Vision are asked who they are, and the question: the command "discovery", number 1.
const CONTROL: (&str, u16) = ("127.0.0.1", 3956);
const DISCOVERY: [u8; 8] = [0x42, 1, 0, 2, 0, 0, 0, 1];

/// A simulator that answers. It ends at once while another program has the port.
fn spawn(args: &[String], serial: &str) -> std::io::Result<Child> {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        let mut command = Command::new("arv-fake-gv-camera-0.8");
        let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        while child.try_wait()?.is_none() {
            if answers(serial)? {
                return Ok(child);
            }
            if begun.elapsed() > LIMIT {
                child.kill()?;
                child.wait()?;
            }
        }
    }
    Err(std::io::Error::other("it ends or does not answer; is UDP port 3956 of 127.0.0.1 taken?"))
}

/// Whether a camera with this serial number answers.
fn answers(serial: &str) -> std::io::Result<bool> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    // Then it is asked again.
    socket.set_read_timeout(Some(Duration::from_millis(100)))?;
    socket.send_to(&DISCOVERY, CONTROL)?;
    let mut answer = [0; 1024];
    let count = socket.recv(&mut answer).unwrap_or(0);
    Ok(answer[..count].windows(serial.len()).any(|part| part == serial.as_bytes()))
}

fn was_told(report: &Report, text: &str) -> bool {
    report.events.iter().any(|event| event.message.contains(text))
}

#[test]
fn a_camera_that_is_killed_and_comes_back_goes_on_as_it_was_set() {
    let Some(mut camera) = Simulator::start(0) else { return };
    let run = start(&[("camera", camera.name().into()), ("size_x", 128.into()), ("size_y", 64.into())]);
    wait_until("frames", || number(&run, "array_counter") > 3.0);
    assert_eq!(value(&run, "serial_number"), camera.serial.clone().into());
    run.set("cam", "min_x", &16.into()).unwrap();
    wait_until("the first column", || number(&run, "min_x") == 16.0);
    camera.kill();
    wait_until("the loss", || value(&run, "connected") == false.into());
    assert_eq!(value(&run, "detector_state"), "disconnected".into());
    let before = number(&run, "array_counter");
    camera.restart();
    wait_until("more frames", || number(&run, "array_counter") > before + 3.0);
    assert_eq!(number(&run, "reconnects"), 1.0);
    assert_eq!(number(&run, "array_size"), 128.0 * 64.0);
    wait_until("the first column again", || number(&run, "min_x") == 16.0);
    run.stop();
    let report = run.finish(LIMIT);
    assert_closed(&report);
    assert!(was_told(&report, "is gone; it is looked for"), "{:?}", report.events);
}

#[test]
fn a_run_begins_without_its_camera_and_takes_frames_when_it_comes() {
    let Some(mut camera) = Simulator::start(0) else { return };
    camera.kill();
    let params =
        [("camera", camera.name().into()), ("image_mode", "multiple".into()), ("num_images", 4.into())];
    let run = start(&params);
    wait_until("the search", || value(&run, "detector_state") == "disconnected".into());
    camera.restart();
    assert!(run.wait(LIMIT));
    let report = run.finish(LIMIT);
    assert_closed(&report);
    assert_eq!(report.nodes[1].completed, 4);
    assert!(was_told(&report, "it is looked for"), "{:?}", report.events);
}

#[test]
fn packets_that_are_lost_are_frames_in_the_ledger() {
    let Some(camera) = Simulator::start(2) else { return };
    let run = start(&[("camera", camera.name().into())]);
    let damaged = || number(&run, "incomplete_frames") + number(&run, "missing_frames");
    wait_until("frames, and some that are not whole", || {
        number(&run, "array_counter") > 5.0 && damaged() > 1.0
    });
    run.stop();
    let report = run.finish(LIMIT);
    assert_closed(&report);
    let cam = &report.nodes[0];
    let last = |name: &str| cam.readbacks().find(|(spec, _)| spec.name == name).unwrap().1.to_string();
    let lost = |reason| cam.lost.get(&reason).copied().unwrap_or(0).to_string();
    assert_eq!(lost(LossReason::Unreadable), last("incomplete_frames"));
    assert_eq!(lost(LossReason::SourceGap), last("missing_frames"));
    assert_eq!(cam.emitted.to_string(), last("array_counter"));
    // A frame without any packet is missing; one with only some of them is incomplete. Of many messages, only some are logged.
    let has_all = !report.events.iter().any(|event| event.message.contains(" times in "));
    for (text, count) in [("whole, found:", "incomplete_frames"), ("missing before", "missing_frames")] {
        let is_told = was_told(&report, text);
        assert!(is_told == (last(count) != "0") || !(is_told || has_all), "{text}: {:?}", report.events);
    }
}
