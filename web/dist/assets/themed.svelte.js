import { G as set, K as state, P as get } from "./disclose-version.js";
// src/style/themed.svelte.ts
var Themed = class {
	#count = state(0);
	get count() {
		return get(this.#count);
	}
	set count(value) {
		set(this.#count, value, true);
	}
	constructor() {
		addEventListener("themechange", () => this.count++);
	}
};
var themed = new Themed();
export { themed as t };
