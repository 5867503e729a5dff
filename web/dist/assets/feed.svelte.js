import "./disclose-version.js";
import { c as history, t as run } from "./run.svelte.js";
// src/model/series.ts
var Series = class {
	names;
	keepMs;
	times = [];
	columns;
	constructor(names, keepMs) {
		this.names = names;
		this.keepMs = keepMs;
		this.columns = names.map(() => []);
	}
	get lastMs() {
		return this.times.at(-1) ?? 0;
	}
	add(history) {
		const last = this.lastMs;
		history.times.forEach((time, row) => {
			if (time <= last) return;
			this.times.push(time);
			this.columns.forEach((column, i) => {
				const value = history.series[i]?.[row];
				column.push(value === void 0 || Number.isNaN(value) ? null : value);
			});
		});
		this.cut();
	}
	cut() {
		const first = this.times.findIndex((time) => time >= this.lastMs - this.keepMs);
		if (first <= 0) return;
		this.times.splice(0, first);
		for (const column of this.columns) column.splice(0, first);
	}
	thinned(most) {
		const step = Math.ceil(this.times.length / Math.max(1, most));
		if (step <= 1) return {
			times: this.times,
			columns: this.columns
		};
		const largest = (column, from) => {
			let found = null;
			for (const value of column.slice(from, from + step)) if (value !== null && (found === null || value > found)) found = value;
			return found;
		};
		const starts = Array.from({ length: Math.ceil(this.times.length / step) }, (_, i) => i * step);
		return {
			times: starts.map((from) => this.times[from]),
			columns: this.columns.map((column) => starts.map((from) => largest(column, from)))
		};
	}
};
// src/model/feed.svelte.ts
var PERIOD_MS = 1e3;
function follow(names, step, keepMs, show) {
	const series = new Series(names, keepMs);
	let timer;
	let ended = false;
	const look = async () => {
		if (!document.hidden && run.link === "open") try {
			series.add(await history(names, step, series.lastMs));
			if (!ended) show(series, "");
		} catch (problem) {
			if (!ended) show(series, problem.message);
		}
		if (!ended) timer = setTimeout(look, PERIOD_MS);
	};
	look();
	return () => {
		ended = true;
		clearTimeout(timer);
	};
}
export { follow as t };
