/** Which columns of the pipeline fit beside its lanes and names. Pure functions. */

const LANE = 17;
/** Least width of names, px; rate and losses always have theirs. */
const [NAME, RATE, LOST] = [92, 52, 64];
const [QUEUE, BARS, TIME, CPU] = [50, 34, 62, 34];

export interface ColumnsShown {
  /** Width of the column, 0 where it is not shown. */
  queue: number;
  /** Whether its fill is drawn. */
  bars: boolean;
  cpu: boolean;
  latency: boolean;
  service: boolean;
}

/** The width of a lane. All lanes together take at most a fifth of the table, or the width of three lanes, however deep
 * the graph is. */
export const laneFor = (deepest: number, wide: number) => Math.min(LANE, Math.max(3 * LANE, wide / 5) / Math.max(1, deepest));

/** Chooses the columns for a width: the most needed ones first. */
export function columnsFor(lanes: number, wide: number): ColumnsShown {
  let room = wide - lanes - NAME - RATE - LOST;
  const take = (width: number) => {
    const fits = room >= width;
    if (fits) room -= width;
    return fits;
  };
  const queue = take(QUEUE);
  const [cpu, bars] = [take(CPU), queue && take(BARS)];
  const [latency, service] = [take(TIME), take(TIME)];
  return { queue: queue ? QUEUE + (bars ? BARS : 0) : 0, bars, cpu, latency, service };
}
