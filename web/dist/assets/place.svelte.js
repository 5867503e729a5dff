import { G as set, K as state, P as get } from "./disclose-version.js";
// src/model/address.ts
var SCREENS = [
	"live",
	"graph",
	"trigger",
	"plots",
	"settings",
	"ledger",
	"runs"
];
function readAddress(hash) {
	const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
	return {
		screen: SCREENS.find((name) => name === path) ?? "live",
		query: Object.fromEntries(new URLSearchParams(query))
	};
}
function writeAddress({ screen, query }) {
	const kept = Object.entries(query).filter(([, value]) => value !== "");
	const text = new URLSearchParams(kept).toString();
	return `#/${screen}${text ? `?${text}` : ""}`;
}
function tokenOf(hash) {
	return /^#t=([\w-]+)/.exec(hash)?.[1] ?? null;
}
// src/model/place.svelte.ts
var Address = class {
	#now = state(readAddress(location.hash));
	get now() {
		return get(this.#now);
	}
	set now(value) {
		set(this.#now, value);
	}
	constructor() {
		addEventListener("hashchange", () => this.now = readAddress(location.hash));
	}
	get screen() {
		return this.now.screen;
	}
	get(key) {
		return this.now.query[key] ?? "";
	}
	set(change) {
		this.now = {
			screen: this.now.screen,
			query: {
				...this.now.query,
				...change
			}
		};
		history.replaceState(null, "", writeAddress(this.now));
	}
	go(screen, change = {}) {
		this.now = {
			screen,
			query: {
				...this.now.query,
				...change
			}
		};
		history.pushState(null, "", writeAddress(this.now));
	}
	reload() {
		this.now = readAddress(location.hash);
	}
};
var place = new Address();
export { tokenOf as n, writeAddress as r, place as t };
