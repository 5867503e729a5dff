import { G as set, K as state, P as get } from "./disclose-version.js";
import { _ as setParams, a as ApiError, t as run } from "./run.svelte.js";
// src/model/drafts.svelte.ts
var Drafts = class {
	#changes = state({});
	get changes() {
		return get(this.#changes);
	}
	set changes(value) {
		set(this.#changes, value);
	}
	#refusals = state({});
	get refusals() {
		return get(this.#refusals);
	}
	set refusals(value) {
		set(this.#refusals, value);
	}
	#underWay = state({});
	get underWay() {
		return get(this.#underWay);
	}
	set underWay(value) {
		set(this.#underWay, value);
	}
	of(node) {
		return this.changes[node] ?? {};
	}
	count(node) {
		return Object.keys(this.of(node)).length;
	}
	refusal(node) {
		return this.refusals[node];
	}
	isApplying(node) {
		return this.underWay[node] ?? false;
	}
	value(node, param) {
		const draft = this.of(node)[param];
		return draft === void 0 ? run.value(node, param) : draft;
	}
	get nodes() {
		return Object.keys(this.changes);
	}
	set(node, values) {
		const draft = { ...this.of(node) };
		for (const [param, value] of Object.entries(values)) if (JSON.stringify(value) === JSON.stringify(run.value(node, param))) delete draft[param];
		else draft[param] = value;
		const { [node]: _, ...others } = this.changes;
		this.changes = Object.keys(draft).length > 0 ? {
			...others,
			[node]: draft
		} : others;
		this.forget(node);
	}
	revert(node) {
		const { [node]: _, ...others } = this.changes;
		this.changes = others;
		this.forget(node);
	}
	forget(node) {
		const { [node]: _, ...others } = this.refusals;
		this.refusals = others;
	}
	async apply(node) {
		const set = this.of(node);
		if (Object.keys(set).length === 0 || this.isApplying(node)) return false;
		this.underWay = {
			...this.underWay,
			[node]: true
		};
		try {
			run.learn(await setParams(node, set));
			this.revert(node);
			return true;
		} catch (problem) {
			const param = problem instanceof ApiError ? problem.param ?? "" : "";
			this.refusals = {
				...this.refusals,
				[node]: {
					message: problem.message,
					param
				}
			};
			return false;
		} finally {
			this.underWay = {
				...this.underWay,
				[node]: false
			};
		}
	}
};
var drafts = new Drafts();
export { drafts as t };
