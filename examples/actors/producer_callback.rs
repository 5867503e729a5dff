//! A camera whose driver calls back from a thread of its own: the agent only opens and closes it.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod pictures;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_actors::{Agent, AgentError, Channel, Context, System};
use livetime_frame::Frame;
use pictures::Camera;

/// What a vendor's driver looks like.
struct Driver {
    open: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    fn open(mut on_image: impl FnMut(Frame) + Send + 'static) -> Driver {
        let open = Arc::new(AtomicBool::new(true));
        let (is_open, mut camera) = (open.clone(), Camera::new());
        let thread = std::thread::spawn(move || {
            while is_open.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
                camera.take().map(&mut on_image).ok();
            }
        });
        Driver { open, thread: Some(thread) }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.open.store(false, Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

struct Producer {
    images: Channel<Frame>,
    driver: Option<Driver>,
}

impl Agent for Producer {
    type State = ();

    fn start(&mut self, _: &mut Context<Self>) -> Result<(), AgentError> {
        let mut images = self.images.publisher();
        // Any thread may publish.
        self.driver = Some(Driver::open(move |image| _ = images.publish(image)));
        Ok(())
    }

    fn drain(&mut self, _: &mut Context<Self>) {
        self.driver = None;
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let images = system.channel::<Frame>("images")?;
    system.agent_fn("viewer", &images, |image: Frame, _| println!("number {}", image.header().sequence))?;
    system.group("camera").add("producer", Producer { images, driver: None }).start()?;
    std::thread::sleep(Duration::from_millis(100));
    let report = system.stop(Duration::from_secs(5));
    assert!(report.agent("viewer").is_some_and(|viewer| viewer.completed > 0));
    Ok(())
}
