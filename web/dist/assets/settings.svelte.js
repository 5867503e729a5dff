import "./disclose-version.js";
import { t as place } from "./place.svelte.js";
import { t as MAP_NAMES } from "./maps.js";
// src/picture/settings.svelte.ts
var PERCENT_LOW = .5;
var PERCENT_HIGH = 99.8;
var isAuto = (contrast) => "percentLow" in contrast;
var shown = {
	get scale() {
		const text = place.get("scale");
		return text === "log" || text === "root" ? text : "linear";
	},
	set scale(scale) {
		place.set({ scale: scale === "linear" ? "" : scale });
	},
	get map() {
		return MAP_NAMES.find((name) => name === place.get("map")) ?? "ice";
	},
	set map(map) {
		place.set({ map: map === "ice" ? "" : map });
	},
	get contrast() {
		const [low, high] = place.get("range").split("..").map(Number);
		if (place.get("range") && Number.isFinite(low) && Number.isFinite(high)) return {
			low,
			high
		};
		const [percentLow = PERCENT_LOW, percentHigh = PERCENT_HIGH] = place.get("percent").split("..").filter(Boolean).map(Number);
		return {
			percentLow,
			percentHigh
		};
	},
	set contrast(contrast) {
		const number = (n) => String(Number(n.toPrecision(6)));
		if (!isAuto(contrast)) {
			place.set({
				range: `${number(contrast.low)}..${number(contrast.high)}`,
				percent: ""
			});
			return;
		}
		const usual = contrast.percentLow === .5 && contrast.percentHigh === 99.8;
		place.set({
			range: "",
			percent: usual ? "" : `${contrast.percentLow}..${contrast.percentHigh}`
		});
	},
	get sight() {
		const [zoom, x = 0, y = 0] = place.get("zoom").split(",").map(Number);
		return zoom && Number.isFinite(zoom) && zoom > 0 ? {
			zoom,
			x,
			y
		} : {
			zoom: "fit",
			x: 0,
			y: 0
		};
	},
	set sight({ zoom, x, y }) {
		place.set({ zoom: zoom === "fit" ? "" : `${Number(zoom.toPrecision(5))},${x.toFixed(1)},${y.toFixed(1)}` });
	}
};
export { shown as i, PERCENT_LOW as n, isAuto as r, PERCENT_HIGH as t };
