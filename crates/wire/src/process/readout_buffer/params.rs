//! Parameters of `readout_buffer`.

use livetime_engine::Params;

/// Parameters of `readout_buffer`.
#[derive(Params)]
pub struct ReadoutBufferParams {
    /// Time of raw frames that is held of each link.
    #[param(default = 10.0, min = 0.0, max = 86400, unit = "s")]
    pub seconds: f64,
    /// Bytes of raw frames and hits that are held of all links together; 0 means as much as `pool_share` allows.
    #[param(unit = "B")]
    pub max_bytes: u64,
    /// Part of the frame pool that is held at most.
    #[param(default = 0.75, min = 0.0, max = 1.0)]
    pub pool_share: f64,
    /// Additional part of the frame pool that is held for waiting requests.
    #[param(default = 0.125, min = 0.0, max = 1.0)]
    pub pinned_share: f64,
    /// Time after which a request is answered with the available data.
    #[param(default = 2.0, min = 0.0, max = 86400, unit = "s")]
    pub deadline: f64,
    /// A link without new data for this long is not waited for.
    #[param(default = 0.5, min = 0.001, max = 86400, unit = "s")]
    pub dead_after: f64,
    /// Requests that may wait; further ones are answered at once with the available data.
    #[param(default = 10000, max = 1000000)]
    pub most_waiting: usize,
    /// Links that every record holds, like `0-9`, also when nothing came from them; others are added when they come.
    pub links: String,
    /// Begin of the window that is requested by hand, ticks of the clock.
    pub window_begin: u64,
    /// End of that window, which does not belong to it.
    pub window_end: u64,
    /// Requests that window; becomes false when it has been requested.
    pub request: bool,
    /// Numbers of the links.
    #[param(readback)]
    pub link_numbers: Vec<f64>,
    /// Time held of each link, in the order of `link_numbers`.
    #[param(readback, unit = "s")]
    pub held_s: Vec<f64>,
    /// Bytes of raw frames held of each link, in the order of `link_numbers`.
    #[param(readback, unit = "B")]
    pub held_bytes: Vec<f64>,
    /// Bytes of all that is held, hits included, as they count in the frame pool.
    #[param(readback, unit = "B")]
    pub bytes: u64,
    /// Bytes that are held beyond the bound for waiting requests.
    #[param(readback, unit = "B")]
    pub pinned_bytes: u64,
    /// Links without new data for `dead_after`.
    #[param(readback)]
    pub dead: usize,
    /// Requests that wait.
    #[param(readback)]
    pub waiting: usize,
    /// Requests so far.
    #[param(readback)]
    pub requests: u64,
    /// Requests answered with all data of all links.
    #[param(readback)]
    pub whole: u64,
    /// Requests answered with a part of the data.
    #[param(readback)]
    pub partial: u64,
    /// Requests of whose window nothing was there.
    #[param(readback)]
    pub empty: u64,
    /// Requests whose window ends before it begins, or is empty.
    #[param(readback)]
    pub invalid: u64,
    /// Requests answered at their deadline.
    #[param(readback)]
    pub late: u64,
    /// Requests answered at once because too many waited.
    #[param(readback)]
    pub hurried: u64,
    /// Answers that could not be sent.
    #[param(readback)]
    pub unsent: u64,
    /// Shortest time from a request to its answer.
    #[param(readback, unit = "s")]
    pub response_min_s: f64,
    /// Mean time from a request to its answer.
    #[param(readback, unit = "s")]
    pub response_mean_s: f64,
    /// Longest time from a request to its answer.
    #[param(readback, unit = "s")]
    pub response_max_s: f64,
    /// Batches of raw frames released although a request waited for them.
    #[param(readback)]
    pub overruns: u64,
    /// How often the frame pool was found exhausted, so that more was released than the bounds ask for.
    #[param(readback)]
    pub squeezed: u64,
}
