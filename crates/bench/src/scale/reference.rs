//! Plain libzmq, as the feature `libzmq` builds it; without, there is no reference.

#[cfg(feature = "libzmq")]
mod libzmq {
    use std::thread;
    use std::time::Instant;

    use livetime_measure::process_cpu;
    use zmq::{Context, Message, PAIR, PULL, PUSH, Socket, SocketType};

    use crate::{Failed, Spread};

    /// Two connected sockets.
    fn pair(context: &Context, from: SocketType, to: SocketType) -> Result<(Socket, Socket), Failed> {
        let (from, to) = (context.socket(from)?, context.socket(to)?);
        to.bind("tcp://127.0.0.1:*")?;
        let address = to.get_last_endpoint()?.map_err(|_| "wanted an address in UTF-8, found another one")?;
        from.connect(&address)?;
        Ok((from, to))
    }

    fn joined<T>(thread: thread::JoinHandle<Result<T, zmq::Error>>) -> Result<T, Failed> {
        Ok(thread.join().map_err(|_| "wanted the end of a thread, found a panic")??)
    }

    /// CPU seconds per GB from PUSH to PULL. Each message is written once, and neither copied by the sender nor by the receiver.
    pub(in super::super) fn cpu_per_gb(bytes: usize, messages: u64) -> Result<Option<f64>, Failed> {
        let (from, to) = pair(&Context::new(), PUSH, PULL)?;
        let before = process_cpu();
        let sending =
            thread::spawn(move || (0..messages).try_for_each(|_| from.send(Message::with_size(bytes), 0)));
        let mut message = Message::new();
        for _ in 0..messages {
            to.recv(&mut message, 0)?;
        }
        joined(sending)?;
        let gb = messages as f64 * bytes as f64 / 1e9;
        Ok(Some((process_cpu() - before).as_secs_f64() / gb))
    }

    /// Half of the median round trip between two PAIR sockets, in us.
    pub(in super::super) fn half_round_trip_us(bytes: usize, messages: u64) -> Result<Option<f64>, Failed> {
        let (from, to) = pair(&Context::new(), PAIR, PAIR)?;
        let answering = thread::spawn(move || {
            let mut message = Message::new();
            for _ in 0..messages {
                to.recv(&mut message, 0)?;
                to.send(&*message, 0)?;
            }
            Ok(to)
        });
        let (ball, mut back, mut times) = (vec![0; bytes], Message::new(), Vec::new());
        for _ in 0..messages {
            let begun = Instant::now();
            from.send(&ball[..], 0)?;
            from.recv(&mut back, 0)?;
            times.push(begun.elapsed().as_secs_f64() * 1e6 / 2.0);
        }
        joined(answering)?;
        Ok(Some(Spread::of(times).median))
    }
}

#[cfg(feature = "libzmq")]
pub(super) use libzmq::{cpu_per_gb, half_round_trip_us};

#[cfg(not(feature = "libzmq"))]
pub(super) fn cpu_per_gb(_bytes: usize, _messages: u64) -> Result<Option<f64>, crate::Failed> {
    Ok(None)
}

#[cfg(not(feature = "libzmq"))]
pub(super) fn half_round_trip_us(_bytes: usize, _messages: u64) -> Result<Option<f64>, crate::Failed> {
    Ok(None)
}
