//! The camera's clock against the clock of this machine.

/// A camera whose clock is further than this from the time since 1970 counts from another origin, such as its start.
const SAME_TIME_NS: i64 = 60_000_000_000;
/// Two clocks drift apart by at most one part in this: quartzes differ by less than 100 in a million.
const DRIFT: i64 = 10_000;

/// Puts times of a camera on the clock of this machine.
///
/// A frame comes later than it was taken, by a time that varies but is never below the time on the way. So the least
/// difference that was seen is the best one; it is let grow as fast as clocks may drift, and no faster.
#[derive(Default)]
pub(crate) struct CameraClock {
    /// Arrival less camera time, and the camera time at which that was so.
    seen: Option<(i64, i64)>,
}

impl CameraClock {
    /// When the frame was taken, ns since 1970.
    pub(crate) fn event_time_ns(&mut self, camera_ns: u64, arrival_ns: u64) -> i64 {
        let (camera, arrival) = (clamped(camera_ns), clamped(arrival_ns));
        let difference = arrival - camera;
        if camera == 0 {
            return arrival;
        }
        if difference.abs() < SAME_TIME_NS {
            return camera;
        }
        let offset = match self.seen {
            Some((least, at)) if camera >= at => difference.min(least + (camera - at) / DRIFT),
            _ => difference,
        };
        self.seen = Some((offset, camera));
        camera + offset
    }
}

/// Times beyond the year 2262 come from a camera that counts nonsense.
fn clamped(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_700_000_000_000_000_000;

    #[test]
    fn intervals_are_the_cameras() {
        let mut clock = CameraClock::default();
        let times: Vec<i64> = [(10, 500), (20, 900), (30, 700)]
            .map(|(ms, late_us)| clock.event_time_ns(ms * 1_000_000, START + ms * 1_000_000 + late_us * 1000))
            .into();
        assert_eq!(times[1] - times[0], 10_000_000 + 10_000_000 / DRIFT);
        assert!(times.windows(2).all(|two| two[1] > two[0]));
    }

    #[test]
    fn a_slow_clock_is_followed() {
        let mut clock = CameraClock::default();
        let mut error = 0;
        for second in 0..1000u64 {
            let arrival = START + second * 1_000_000_000;
            // 50 in a million slow.
            let camera = 1_000_000 + second * (1_000_000_000 - 50_000);
            error = arrival as i64 - clock.event_time_ns(camera, arrival);
        }
        assert_eq!(error, 0);
    }

    #[test]
    fn times_from_1970_stay_and_missing_ones_are_those_of_arrival() {
        let mut clock = CameraClock::default();
        assert_eq!(clock.event_time_ns(START, START + 5), START as i64);
        assert_eq!(clock.event_time_ns(0, START + 5), START as i64 + 5);
        assert_eq!(clock.event_time_ns(u64::MAX, 7), 7);
    }
}
