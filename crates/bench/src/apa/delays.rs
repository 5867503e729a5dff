//! A sink that measures how long after the data a trigger algorithm finds its activities.

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, time_of_day_ns};
use livetime_frame::Frame;
use livetime_wire::{ActivityRow, Delays, RowTable};

/// Parameters of `activity_delays`.
#[derive(Params)]
pub(super) struct ActivityDelaysParams {
    /// Activities so far.
    #[param(readback)]
    pub(super) activities: u64,
    /// Half of them came this long after their last hit, or earlier.
    #[param(readback, unit = "s")]
    pub(super) delay_p50: f64,
    /// 99 % of them.
    #[param(readback, unit = "s")]
    pub(super) delay_p99: f64,
}

/// Measures delays.
pub(super) struct ActivityDelays {
    params: ActivityDelaysParams,
    table: RowTable<ActivityRow>,
    rows: Vec<ActivityRow>,
    delays: Delays,
}

impl Node for ActivityDelays {
    type Params = ActivityDelaysParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "activity_delays",
        "Measures how long after the data activities come.",
        &[PortSpec::table("in")],
    );

    fn new(params: ActivityDelaysParams) -> Result<ActivityDelays, NodeError> {
        Ok(ActivityDelays { params, table: RowTable::default(), rows: Vec::new(), delays: Delays::default() })
    }

    fn params(&mut self) -> &mut ActivityDelaysParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        self.table.read(frame, &mut self.rows)?;
        let now_ns = time_of_day_ns().max(0) as u64;
        for row in &self.rows {
            // The clock of ProtoDUNE-SP: 20 ns.
            self.delays.add(row.time_end.saturating_mul(20), now_ns);
        }
        self.params.activities += self.rows.len() as u64;
        Ok(())
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        (self.params.delay_p50, self.params.delay_p99) =
            (self.delays.percentile(50), self.delays.percentile(99));
        Ok(())
    }
}
