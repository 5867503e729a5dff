const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./Save.js","./Save.css","./MaskTools.js","./masks.svelte.js","./MaskTools.css","./Regions.js","./Regions.css","./Line.js","./Line.css","./MaskLayer.js","./MaskLayer.css","./LineProfile.js","./LineProfile.css","./Chart2.js","./Chart.js","./Chart.css","./NodePanel2.js","./NodePanel.js","./form.js","./InFile.js","./InFile.css","./NodePanel.css","./Graph.js","./Graph.css","./Plots.js","./Points.js","./Points.css","./Plots.css","./Settings.js","./Settings.css","./Ledger.js","./Ledger.css","./Runs.js","./Runs.css","./Trigger.js","./Trigger.css"])))=>i.map(i=>d[i]);
// node_modules/svelte/src/internal/shared/utils.js
var is_array = Array.isArray;
var index_of = Array.prototype.indexOf;
var includes = Array.prototype.includes;
var array_from = Array.from;
var define_property = Object.defineProperty;
var get_descriptor = Object.getOwnPropertyDescriptor;
var get_descriptors = Object.getOwnPropertyDescriptors;
var object_prototype = Object.prototype;
var array_prototype = Array.prototype;
var get_prototype_of = Object.getPrototypeOf;
var is_extensible = Object.isExtensible;
var noop = () => {};
function is_promise(value) {
	return typeof value?.then === "function";
}
function run$1(fn) {
	return fn();
}
function run_all(arr) {
	for (var i = 0; i < arr.length; i++) arr[i]();
}
function deferred() {
	var resolve;
	var reject;
	return {
		promise: new Promise((res, rej) => {
			resolve = res;
			reject = rej;
		}),
		resolve,
		reject
	};
}
function to_array(value, n) {
	if (Array.isArray(value)) return value;
	if (n === void 0 || !(Symbol.iterator in value)) return Array.from(value);
	const array = [];
	for (const element of value) {
		array.push(element);
		if (array.length === n) break;
	}
	return array;
}
var CLEAN = 1024;
var DIRTY = 2048;
var MAYBE_DIRTY = 4096;
var INERT = 8192;
var DESTROYED = 16384;
var REACTION_RAN = 32768;
var DESTROYING = 1 << 25;
var EFFECT_TRANSPARENT = 65536;
var EFFECT_PRESERVED = 1 << 19;
var USER_EFFECT = 1 << 20;
var EFFECT_OFFSCREEN = 1 << 25;
var REACTION_IS_UPDATING = 1 << 21;
var ASYNC = 1 << 22;
var ERROR_VALUE = 1 << 23;
var STATE_SYMBOL = Symbol("$state");
var COMPONENT_SYMBOL = Symbol("component");
var LEGACY_PROPS = Symbol("legacy props");
var LOADING_ATTR_SYMBOL = Symbol("");
var ATTRIBUTES_CACHE = Symbol("attributes");
var CLASS_CACHE = Symbol("class");
var STYLE_CACHE = Symbol("style");
var TEXT_CACHE = Symbol("text");
var FORM_RESET_HANDLER = Symbol("form reset");
var STALE_REACTION = new class StaleReactionError extends Error {
	name = "StaleReactionError";
	message = "The reaction that called `getAbortSignal()` was re-run or destroyed";
}();
var IS_XHTML = !!globalThis.document?.contentType && globalThis.document.contentType.includes("xml");
// node_modules/svelte/src/constants.js
var HYDRATION_ERROR = {};
var UNINITIALIZED = Symbol("uninitialized");
var NAMESPACE_HTML = "http://www.w3.org/1999/xhtml";
function derived_inert() {
	console.warn(`https://svelte.dev/e/derived_inert`);
}
function hydration_mismatch(location) {
	console.warn(`https://svelte.dev/e/hydration_mismatch`);
}
function select_multiple_invalid_value() {
	console.warn(`https://svelte.dev/e/select_multiple_invalid_value`);
}
function svelte_boundary_reset_noop() {
	console.warn(`https://svelte.dev/e/svelte_boundary_reset_noop`);
}
// node_modules/svelte/src/internal/client/dom/hydration.js
var hydrating = false;
function set_hydrating(value) {
	hydrating = value;
}
var hydrate_node;
function set_hydrate_node(node) {
	if (node === null) {
		hydration_mismatch();
		throw HYDRATION_ERROR;
	}
	return hydrate_node = node;
}
function hydrate_next() {
	return set_hydrate_node(get_next_sibling(hydrate_node));
}
function reset(node) {
	if (!hydrating) return;
	if (get_next_sibling(hydrate_node) !== null) {
		hydration_mismatch();
		throw HYDRATION_ERROR;
	}
	hydrate_node = node;
}
function next(count = 1) {
	if (hydrating) {
		var i = count;
		var node = hydrate_node;
		while (i--) node = get_next_sibling(node);
		hydrate_node = node;
	}
}
function skip_nodes(remove = true) {
	var depth = 0;
	var node = hydrate_node;
	while (true) {
		if (node.nodeType === 8) {
			var data = node.data;
			if (data === "]") {
				if (depth === 0) return node;
				depth -= 1;
			} else if (data === "[" || data === "[!" || data[0] === "[" && !isNaN(Number(data.slice(1)))) depth += 1;
		}
		var next = get_next_sibling(node);
		if (remove) node.remove();
		node = next;
	}
}
function read_hydration_instruction(node) {
	if (!node || node.nodeType !== 8) {
		hydration_mismatch();
		throw HYDRATION_ERROR;
	}
	return node.data;
}
// node_modules/svelte/src/internal/client/reactivity/equality.js
function equals(value) {
	return value === this.v;
}
function safe_not_equal(a, b) {
	return a != a ? b == b : a !== b || a !== null && typeof a === "object" || typeof a === "function";
}
function safe_equals(value) {
	return !safe_not_equal(value, this.v);
}
function lifecycle_outside_component(name) {
	throw new Error(`https://svelte.dev/e/lifecycle_outside_component`);
}
function set_context_after_init() {
	throw new Error(`https://svelte.dev/e/set_context_after_init`);
}
// node_modules/svelte/src/internal/client/errors.js
function async_derived_orphan() {
	throw new Error(`https://svelte.dev/e/async_derived_orphan`);
}
function each_key_duplicate(a, b, value) {
	throw new Error(`https://svelte.dev/e/each_key_duplicate`);
}
function effect_in_teardown(rune) {
	throw new Error(`https://svelte.dev/e/effect_in_teardown`);
}
function effect_in_unowned_derived() {
	throw new Error(`https://svelte.dev/e/effect_in_unowned_derived`);
}
function effect_orphan(rune) {
	throw new Error(`https://svelte.dev/e/effect_orphan`);
}
function effect_update_depth_exceeded() {
	throw new Error(`https://svelte.dev/e/effect_update_depth_exceeded`);
}
function props_invalid_value(key) {
	throw new Error(`https://svelte.dev/e/props_invalid_value`);
}
function state_descriptors_fixed() {
	throw new Error(`https://svelte.dev/e/state_descriptors_fixed`);
}
function state_prototype_fixed() {
	throw new Error(`https://svelte.dev/e/state_prototype_fixed`);
}
function state_unsafe_mutation() {
	throw new Error(`https://svelte.dev/e/state_unsafe_mutation`);
}
function svelte_boundary_reset_onerror() {
	throw new Error(`https://svelte.dev/e/svelte_boundary_reset_onerror`);
}
// node_modules/svelte/src/internal/flags/index.js
var async_mode_flag = false;
var legacy_mode_flag = false;
function enable_legacy_mode_flag() {
	legacy_mode_flag = true;
}
// node_modules/svelte/src/internal/shared/context.js
function get_parent_context(context) {
	let parent = context.p;
	while (parent !== null && parent.c === null) parent = parent.p;
	return parent?.c ?? null;
}
function get_or_init_context_map(context, name) {
	if (context === null) lifecycle_outside_component(name);
	return context.c ??= new Map(get_parent_context(context) || void 0);
}
// node_modules/svelte/src/internal/client/context.js
var component_context = null;
function set_component_context(context) {
	component_context = context;
}
function getContext(key) {
	return get_or_init_context_map(component_context, "getContext").get(key);
}
function setContext(key, context) {
	const context_map = get_or_init_context_map(component_context, "setContext");
	if (async_mode_flag) {
		var flags = active_effect.f;
		if (!(!active_reaction && (flags & 32) !== 0 && !component_context.i)) set_context_after_init();
	}
	context_map.set(key, context);
	return context;
}
function push(props, runes = false, fn) {
	component_context = {
		p: component_context,
		i: false,
		c: null,
		e: null,
		s: props,
		x: null,
		r: active_effect,
		l: legacy_mode_flag && !runes ? {
			s: null,
			u: null,
			$: []
		} : null
	};
}
function pop(component) {
	var context = component_context;
	var effects = context.e;
	if (effects !== null) {
		context.e = null;
		for (var fn of effects) create_user_effect(fn);
	}
	if (component !== void 0) context.x = component;
	context.i = true;
	component_context = context.p;
	return mark_as_component(component);
}
function mark_as_component(component = {}) {
	define_property(component, COMPONENT_SYMBOL, { value: true });
	return component;
}
function is_runes() {
	return !legacy_mode_flag || component_context !== null && component_context.l === null;
}
// node_modules/svelte/src/internal/client/dom/task.js
var micro_tasks = [];
function run_micro_tasks() {
	var tasks = micro_tasks;
	micro_tasks = [];
	run_all(tasks);
}
function queue_micro_task(fn) {
	if (micro_tasks.length === 0 && !is_flushing_sync) {
		var tasks = micro_tasks;
		queueMicrotask(() => {
			if (tasks === micro_tasks) run_micro_tasks();
		});
	}
	micro_tasks.push(fn);
}
function flush_tasks() {
	while (micro_tasks.length > 0) run_micro_tasks();
}
// node_modules/svelte/src/internal/client/reactivity/status.js
var STATUS_MASK = ~(DIRTY | MAYBE_DIRTY | CLEAN);
function set_signal_status(signal, status) {
	signal.f = signal.f & STATUS_MASK | status;
}
function update_derived_status(derived) {
	if ((derived.f & 512) !== 0 || derived.deps === null) set_signal_status(derived, CLEAN);
	else set_signal_status(derived, MAYBE_DIRTY);
}
// node_modules/svelte/src/internal/client/reactivity/utils.js
function defer_effect(effect, dirty_reactions) {
	if ((effect.f & 2048) !== 0) dirty_reactions.set(effect, DIRTY);
	else if ((effect.f & 4096) !== 0 && dirty_reactions.get(effect) !== 2048) dirty_reactions.set(effect, MAYBE_DIRTY);
	set_signal_status(effect, CLEAN);
}
// node_modules/svelte/src/internal/client/dom/elements/misc.js
var listening_to_form_reset = false;
function add_form_reset_listener() {
	if (!listening_to_form_reset) {
		listening_to_form_reset = true;
		document.addEventListener("reset", (evt) => {
			Promise.resolve().then(() => {
				if (!evt.defaultPrevented) for (const e of evt.target.elements) e[FORM_RESET_HANDLER]?.();
			});
		}, { capture: true });
	}
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/shared.js
function without_reactive_context(fn) {
	var previous_reaction = active_reaction;
	var previous_effect = active_effect;
	set_active_reaction(null);
	set_active_effect(null);
	try {
		return fn();
	} finally {
		set_active_reaction(previous_reaction);
		set_active_effect(previous_effect);
	}
}
function listen_to_event_and_reset_event(element, event, handler, on_reset = handler) {
	element.addEventListener(event, () => without_reactive_context(handler));
	const prev = element[FORM_RESET_HANDLER];
	if (prev) element[FORM_RESET_HANDLER] = () => {
		prev();
		on_reset(true);
	};
	else element[FORM_RESET_HANDLER] = () => on_reset(true);
	add_form_reset_listener();
}
// node_modules/svelte/src/internal/client/reactivity/async.js
function flatten(blockers, sync, async, fn) {
	const d = is_runes() ? derived : derived_safe_equal;
	var pending = blockers.filter((b) => !b.settled);
	var deriveds = sync.map(d);
	if (async.length === 0 && pending.length === 0) {
		fn(deriveds);
		return;
	}
	var parent = active_effect;
	var restore = capture();
	var blocker_promise = pending.length === 1 ? pending[0].promise : pending.length > 1 ? Promise.all(pending.map((b) => b.promise)) : null;
	function finish(async) {
		if ((parent.f & 16384) !== 0) return;
		restore();
		try {
			fn([...deriveds, ...async]);
		} catch (error) {
			invoke_error_boundary(error, parent);
		}
		unset_context();
	}
	var decrement_pending = increment_pending();
	if (async.length === 0) {
		blocker_promise.then(() => finish([])).finally(decrement_pending);
		return;
	}
	function run() {
		Promise.all(async.map((expression) => async_derived(expression))).then(finish).catch((error) => invoke_error_boundary(error, parent)).finally(decrement_pending);
	}
	if (blocker_promise) blocker_promise.then(() => {
		if ((parent.f & 16384) !== 0) {
			decrement_pending();
			return;
		}
		restore();
		run();
		unset_context();
	});
	else run();
}
function capture() {
	var previous_effect = active_effect;
	var previous_reaction = active_reaction;
	var previous_component_context = component_context;
	var previous_batch = current_batch;
	return function restore(activate_batch = true) {
		set_active_effect(previous_effect);
		set_active_reaction(previous_reaction);
		set_component_context(previous_component_context);
		if (activate_batch && (previous_effect.f & 16384) === 0) {
			previous_batch?.activate();
			previous_batch?.apply();
		}
	};
}
function unset_context(deactivate_batch = true) {
	set_active_effect(null);
	set_active_reaction(null);
	set_component_context(null);
	if (deactivate_batch) current_batch?.deactivate();
}
function increment_pending() {
	var effect = active_effect;
	var boundary = effect.b;
	var batch = current_batch;
	var blocking = !!boundary?.is_rendered();
	boundary?.update_pending_count(1, batch);
	batch.increment(blocking, effect);
	return () => {
		boundary?.update_pending_count(-1, batch);
		batch.decrement(blocking, effect);
	};
}
function derived(fn) {
	var flags = 2 | DIRTY;
	if (active_effect !== null) active_effect.f |= EFFECT_PRESERVED;
	return {
		ctx: component_context,
		deps: null,
		effects: null,
		equals,
		f: flags,
		fn,
		reactions: null,
		rv: 0,
		v: UNINITIALIZED,
		wv: 0,
		parent: active_effect,
		ac: null
	};
}
var OBSOLETE = Symbol("obsolete");
function async_derived(fn, label, location) {
	let parent = active_effect;
	if (parent === null) async_derived_orphan();
	var promise = void 0;
	var signal = source(UNINITIALIZED);
	var should_suspend = !active_reaction;
	var deferreds = new Set();
	async_effect(() => {
		var effect = active_effect;
		var d = deferred();
		promise = d.promise;
		try {
			Promise.resolve(fn()).then(d.resolve, (e) => {
				if (e !== STALE_REACTION) d.reject(e);
			}).finally(unset_context);
		} catch (error) {
			d.reject(error);
			unset_context();
		}
		var batch = current_batch;
		if (should_suspend) {
			if ((effect.f & 32768) !== 0) var decrement_pending = increment_pending();
			if (parent.b?.is_rendered()) batch.async_deriveds.get(effect)?.reject(OBSOLETE);
			else for (const d of deferreds.values()) d.reject(OBSOLETE);
			deferreds.add(d);
			batch.async_deriveds.set(effect, d);
		}
		const handler = (value, error = void 0) => {
			decrement_pending?.();
			deferreds.delete(d);
			if (error === OBSOLETE) return;
			batch.activate();
			if (error) {
				signal.f |= ERROR_VALUE;
				internal_set(signal, error);
			} else {
				if ((signal.f & 8388608) !== 0) signal.f ^= ERROR_VALUE;
				internal_set(signal, value);
			}
			batch.deactivate();
		};
		d.promise.then(handler, (e) => handler(null, e || "unknown"));
	});
	teardown(() => {
		for (const d of deferreds) d.reject(OBSOLETE);
	});
	return new Promise((fulfil) => {
		function next(p) {
			function go() {
				if (p === promise) fulfil(signal);
				else next(promise);
			}
			p.then(go, go);
		}
		next(promise);
	});
}
function user_derived(fn) {
	const d = derived(fn);
	if (!async_mode_flag) push_reaction_value(d);
	return d;
}
function derived_safe_equal(fn) {
	const signal = derived(fn);
	signal.equals = safe_equals;
	return signal;
}
function destroy_derived_effects(derived) {
	var effects = derived.effects;
	if (effects !== null) {
		derived.effects = null;
		for (var i = 0; i < effects.length; i += 1) destroy_effect(effects[i]);
	}
}
function execute_derived(derived) {
	var value;
	var prev_active_effect = active_effect;
	var parent = derived.parent;
	if (!is_destroying_effect && parent !== null && derived.v !== UNINITIALIZED && (parent.f & 24576) !== 0) {
		derived_inert();
		return derived.v;
	}
	set_active_effect(parent);
	try {
		destroy_derived_effects(derived);
		value = update_reaction(derived);
	} finally {
		set_active_effect(prev_active_effect);
	}
	return value;
}
function update_derived(derived) {
	var value = execute_derived(derived);
	if (!derived.equals(value)) {
		derived.wv = increment_write_version();
		if (!current_batch?.is_fork || derived.deps === null) {
			if (current_batch !== null) {
				current_batch.capture(derived, value, true);
				previous_batch?.capture(derived, value, true);
			} else derived.v = value;
			if (derived.deps === null) {
				set_signal_status(derived, CLEAN);
				return;
			}
		}
	}
	if (is_destroying_effect) return;
	if (batch_values !== null) {
		if (effect_tracking() || current_batch?.is_fork) batch_values.set(derived, value);
	} else update_derived_status(derived);
}
function freeze_derived_effects(derived) {
	if (derived.effects === null) return;
	for (const e of derived.effects) if (e.teardown || e.ac) {
		e.teardown?.();
		if (e.ac !== null) without_reactive_context(() => {
			e.ac.abort(STALE_REACTION);
			e.ac = null;
		});
		if (e.fn !== null) e.teardown = noop;
		remove_reactions(e, 0);
		destroy_effect_children(e);
	}
}
function unfreeze_derived_effects(derived) {
	if (derived.effects === null) return;
	for (const e of derived.effects) if (e.teardown && e.fn !== null) update_effect(e);
}
// node_modules/svelte/src/internal/client/reactivity/batch.js
var first_batch = null;
var last_batch = null;
var current_batch = null;
var previous_batch = null;
var batch_values = null;
var last_scheduled_effect = null;
var is_flushing_sync = false;
var is_processing = false;
var collected_effects = null;
var legacy_updates = null;
var flush_count = 0;
var uid = 1;
var Batch = class Batch {
	id = uid++;
	started = false;
	linked = true;
	prev = null;
	next = null;
	async_deriveds = new Map();
	current = new Map();
	previous = new Map();
	#commit_callbacks = new Set();
	#discard_callbacks = new Set();
	#pending = 0;
	#blocking_pending = new Map();
	#deferred = null;
	#scheduled = [];
	#new_effects = [];
	#dirty_reactions = new Map();
	#skipped_branches = new Map();
	#unskipped_branches = new Set();
	is_fork = false;
	#decrement_queued = false;
	constructor() {
		if (last_batch === null) first_batch = last_batch = this;
		else {
			last_batch.next = this;
			this.prev = last_batch;
		}
		last_batch = this;
	}
	#is_deferred() {
		if (this.is_fork) return true;
		for (const effect of this.#blocking_pending.keys()) if (!this.#is_skipped(effect)) return true;
		return false;
	}
	#is_skipped(effect) {
		for (var e = effect; e !== null; e = e.parent) if (this.#skipped_branches.has(e)) return true;
		return false;
	}
	skip_effect(effect) {
		if (!this.#skipped_branches.has(effect)) this.#skipped_branches.set(effect, {
			d: [],
			m: []
		});
		this.#unskipped_branches.delete(effect);
	}
	unskip_effect(effect, callback = (e) => this.schedule(e)) {
		var tracked = this.#skipped_branches.get(effect);
		if (tracked) {
			this.#skipped_branches.delete(effect);
			for (var e of tracked.d) {
				set_signal_status(e, DIRTY);
				callback(e);
			}
			for (e of tracked.m) {
				set_signal_status(e, MAYBE_DIRTY);
				callback(e);
			}
		}
		this.#unskipped_branches.add(effect);
	}
	#resolve() {
		var roots = [];
		for (const effect of this.#scheduled) {
			if ((effect.f & 16384) !== 0 || (effect.f & 6144) === 0) continue;
			var e = effect;
			var covered = false;
			while (e.parent !== null) {
				e = e.parent;
				var flags = e.f;
				if ((flags & 96) !== 0) {
					if ((flags & 1024) === 0) {
						covered = true;
						break;
					}
					e.f ^= CLEAN;
				}
			}
			if (!covered) roots.push(e);
		}
		this.#scheduled = [];
		return roots;
	}
	#process() {
		this.started = true;
		for (const [e, status] of this.#dirty_reactions) {
			set_signal_status(e, status);
			this.schedule(e);
		}
		this.apply();
		var effects = collected_effects = [];
		var render_effects = [];
		var updates = legacy_updates = [];
		while (this.#scheduled.length > 0) {
			if (flush_count++ > 1e3) {
				this.#unlink();
				infinite_loop_guard();
			}
			for (const root of this.#resolve()) try {
				this.#traverse(root, effects, render_effects);
			} catch (e) {
				reset_all(root);
				if (!this.#is_deferred()) this.discard();
				throw e;
			}
		}
		current_batch = null;
		if (updates.length > 0) {
			var batch = Batch.ensure();
			for (const e of updates) batch.schedule(e);
		}
		collected_effects = null;
		legacy_updates = null;
		if (this.#is_deferred()) {
			this.#defer_effects(render_effects);
			this.#defer_effects(effects);
			for (const [e, t] of this.#skipped_branches) reset_branch(e, t);
			if (updates.length > 0) current_batch.#process();
			return;
		}
		const earlier_batch = this.#find_earlier_batch();
		if (earlier_batch) {
			this.#defer_effects(render_effects);
			this.#defer_effects(effects);
			earlier_batch.#merge(this);
			return;
		}
		this.#dirty_reactions.clear();
		for (const fn of this.#commit_callbacks) fn(this);
		this.#commit_callbacks.clear();
		previous_batch = this;
		flush_queued_effects(render_effects);
		flush_queued_effects(effects);
		previous_batch = null;
		this.#deferred?.resolve();
		var next_batch = current_batch;
		if (this.#pending === 0 && (this.#scheduled.length === 0 || next_batch !== null)) {
			this.#unlink();
			if (async_mode_flag) {
				this.#commit();
				current_batch = next_batch;
			}
		}
		if (next_batch !== null) {
			old_values.clear();
			next_batch.#process();
		}
	}
	#traverse(root, effects, render_effects) {
		root.f ^= CLEAN;
		var effect = root.first;
		while (effect !== null) {
			var flags = effect.f;
			var is_branch = (flags & 96) !== 0;
			if (!(is_branch && (flags & 1024) !== 0 || (flags & 8192) !== 0 || this.#skipped_branches.has(effect)) && effect.fn !== null) {
				if (is_branch) effect.f ^= CLEAN;
				else if ((flags & 4) !== 0) effects.push(effect);
				else if (async_mode_flag && (flags & 16777224) !== 0) render_effects.push(effect);
				else if (is_dirty(effect)) {
					if ((flags & 16) !== 0) this.add_dirty_reaction(effect, MAYBE_DIRTY);
					update_effect(effect);
				}
				var child = effect.first;
				if (child !== null) {
					effect = child;
					continue;
				}
			}
			while (effect !== null) {
				var next = effect.next;
				if (next !== null) {
					effect = next;
					break;
				}
				effect = effect.parent;
			}
		}
	}
	#find_earlier_batch() {
		for (var batch = this.prev; batch !== null; batch = batch.prev) if (!batch.is_fork && this.#intersects(batch)) return batch;
		return null;
	}
	#intersects(batch) {
		for (const [source, [, is_derived]] of this.current) {
			if (is_derived) continue;
			if (batch.current.has(source)) return true;
		}
		return false;
	}
	#merge(batch) {
		for (const [source, value] of batch.current) {
			if (!this.previous.has(source) && batch.previous.has(source)) this.previous.set(source, batch.previous.get(source));
			this.current.set(source, value);
		}
		for (const [effect, deferred] of batch.async_deriveds) {
			const d = this.async_deriveds.get(effect);
			if (d) deferred.promise.then(d.resolve).catch(d.reject);
		}
		batch.async_deriveds.clear();
		this.transfer_reactions(batch.#dirty_reactions);
		const mark = (value) => {
			var reactions = value.reactions;
			if (reactions === null) return;
			if ((value.f & 2) !== 0 && (value.f & 6144) === 0) return;
			for (const reaction of reactions) {
				var flags = reaction.f;
				if ((flags & 2) !== 0) mark(reaction);
				else {
					var effect = reaction;
					if (flags & 4194320 && !this.async_deriveds.has(effect)) {
						this.#dirty_reactions.delete(effect);
						set_signal_status(effect, DIRTY);
						this.schedule(effect);
					}
				}
			}
		};
		for (const source of this.current.keys()) mark(source);
		this.oncommit(() => batch.discard());
		batch.#unlink();
		current_batch = this;
		this.#process();
	}
	#defer_effects(effects) {
		for (var i = 0; i < effects.length; i += 1) defer_effect(effects[i], this.#dirty_reactions);
	}
	capture(source, value, is_derived = false) {
		if (source.v !== UNINITIALIZED && !this.previous.has(source)) this.previous.set(source, source.v);
		if ((source.f & 8388608) === 0) {
			this.current.set(source, [value, is_derived]);
			batch_values?.set(source, value);
		}
		if (!this.is_fork) source.v = value;
	}
	activate() {
		current_batch = this;
	}
	deactivate() {
		current_batch = null;
		batch_values = null;
	}
	flush() {
		try {
			is_processing = true;
			current_batch = this;
			this.#process();
		} finally {
			flush_count = 0;
			last_scheduled_effect = null;
			collected_effects = null;
			legacy_updates = null;
			is_processing = false;
			current_batch = null;
			batch_values = null;
			old_values.clear();
		}
	}
	discard() {
		for (const fn of this.#discard_callbacks) fn(this);
		this.#discard_callbacks.clear();
		for (const deferred of this.async_deriveds.values()) deferred.reject(OBSOLETE);
		this.#unlink();
		this.#deferred?.resolve();
	}
	register_created_effect(effect) {
		this.#new_effects.push(effect);
	}
	#commit() {
		for (let batch = first_batch; batch !== null; batch = batch.next) {
			var is_earlier = batch.id < this.id;
			var sources = [];
			for (const [source, [value, is_derived]] of this.current) {
				if (batch.current.has(source)) {
					var batch_value = batch.current.get(source)[0];
					if (is_earlier && value !== batch_value) batch.current.set(source, [value, is_derived]);
					else continue;
				}
				sources.push(source);
			}
			if (is_earlier) for (const [effect, deferred] of this.async_deriveds) {
				const d = batch.async_deriveds.get(effect);
				if (d) deferred.promise.then(d.resolve).catch(d.reject);
			}
			var current = [...batch.current.keys()].filter((source) => !batch.current.get(source)[1]);
			if (!batch.started || current.length === 0) continue;
			var others = current.filter((source) => !this.current.has(source));
			if (others.length === 0) {
				if (is_earlier) batch.discard();
			} else if (sources.length > 0) {
				if (is_earlier) for (const unskipped of this.#unskipped_branches) batch.unskip_effect(unskipped, (e) => {
					if ((e.f & 4194320) !== 0) batch.schedule(e);
					else batch.#defer_effects([e]);
				});
				batch.activate();
				var marked = new Set();
				var checked = new Map();
				for (var source of sources) mark_effects(source, others, marked, checked);
				checked = new Map();
				var current_unequal = [...batch.current].filter(([c, v1]) => {
					const v2 = this.current.get(c);
					if (!v2) return true;
					return v2[0] !== v1[0] || v2[1] !== v1[1];
				}).map(([c]) => c);
				if (current_unequal.length > 0) {
					for (const effect of this.#new_effects) if ((effect.f & 155648) === 0 && depends_on(effect, current_unequal, checked)) {
						if ((effect.f & 4194320) !== 0) {
							set_signal_status(effect, DIRTY);
							batch.schedule(effect);
						} else batch.add_dirty_reaction(effect, DIRTY);
					}
				}
				if (batch.#scheduled.length > 0 && !batch.#decrement_queued) {
					batch.apply();
					for (var root of batch.#resolve()) batch.#traverse(root, [], []);
				}
				batch.deactivate();
			}
		}
	}
	increment(blocking, effect) {
		this.#pending += 1;
		if (blocking) {
			let blocking_pending_count = this.#blocking_pending.get(effect) ?? 0;
			this.#blocking_pending.set(effect, blocking_pending_count + 1);
		}
	}
	decrement(blocking, effect) {
		this.#pending -= 1;
		if (blocking) {
			let blocking_pending_count = this.#blocking_pending.get(effect) ?? 0;
			if (blocking_pending_count === 1) this.#blocking_pending.delete(effect);
			else this.#blocking_pending.set(effect, blocking_pending_count - 1);
		}
		if (this.#decrement_queued) return;
		this.#decrement_queued = true;
		queue_micro_task(() => {
			this.#decrement_queued = false;
			if (this.linked) this.flush();
		});
	}
	transfer_reactions(dirty_reactions) {
		for (const [effect, status] of dirty_reactions) this.add_dirty_reaction(effect, status);
		dirty_reactions.clear();
	}
	add_dirty_reaction(effect, status) {
		if (status === 2048 || this.#dirty_reactions.get(effect) !== 2048) this.#dirty_reactions.set(effect, status);
	}
	oncommit(fn) {
		this.#commit_callbacks.add(fn);
	}
	ondiscard(fn) {
		this.#discard_callbacks.add(fn);
	}
	settled() {
		return (this.#deferred ??= deferred()).promise;
	}
	static ensure() {
		if (current_batch === null) {
			const batch = current_batch = new Batch();
			if (!is_processing && !is_flushing_sync) queue_micro_task(() => {
				if (!batch.started) batch.flush();
			});
		}
		return current_batch;
	}
	apply() {
		if (!async_mode_flag || !this.is_fork && this.prev === null && this.next === null) {
			batch_values = null;
			return;
		}
		batch_values = new Map();
		for (const [source, [value]] of this.current) batch_values.set(source, value);
		for (let batch = first_batch; batch !== null; batch = batch.next) {
			if (batch === this || batch.is_fork) continue;
			if (batch.id >= this.id || !batch.#intersects(this)) {
				for (const [source, previous] of batch.previous) if (!batch_values.has(source)) batch_values.set(source, previous);
			}
		}
	}
	schedule(effect) {
		last_scheduled_effect = effect;
		if (effect.b?.is_pending && (effect.f & 16777228) !== 0 && (effect.f & 32768) === 0) {
			effect.b.defer_effect(effect);
			return;
		}
		this.#scheduled.push(effect);
	}
	#unlink() {
		if (!this.linked) return;
		var prev = this.prev;
		var next = this.next;
		if (prev === null) first_batch = next;
		else prev.next = next;
		if (next === null) last_batch = prev;
		else next.prev = prev;
		this.linked = false;
	}
};
function flushSync(fn) {
	var was_flushing_sync = is_flushing_sync;
	var prev_previous_batch = previous_batch;
	previous_batch = null;
	is_flushing_sync = true;
	try {
		var result;
		if (fn) {
			flushSync();
			result = fn();
		}
		while (true) {
			flush_tasks();
			if (current_batch === null) return result;
			current_batch.flush();
		}
	} finally {
		is_flushing_sync = was_flushing_sync;
		previous_batch = prev_previous_batch;
	}
}
function infinite_loop_guard() {
	try {
		effect_update_depth_exceeded();
	} catch (error) {
		invoke_error_boundary(error, last_scheduled_effect);
	}
}
var eager_block_effects = null;
function flush_queued_effects(effects) {
	var length = effects.length;
	if (length === 0) return;
	var i = 0;
	while (i < length) {
		var effect = effects[i++];
		if ((effect.f & 24576) === 0 && is_dirty(effect)) {
			eager_block_effects = new Set();
			update_effect(effect);
			if (effect.deps === null && effect.first === null && effect.nodes === null && effect.teardown === null && effect.ac === null) unlink_effect(effect);
			if (eager_block_effects?.size > 0) {
				old_values.clear();
				for (const e of eager_block_effects) {
					if ((e.f & 24576) !== 0) continue;
					const ordered_effects = [e];
					let ancestor = e.parent;
					while (ancestor !== null) {
						if (eager_block_effects.has(ancestor)) {
							eager_block_effects.delete(ancestor);
							ordered_effects.push(ancestor);
						}
						ancestor = ancestor.parent;
					}
					for (let j = ordered_effects.length - 1; j >= 0; j--) {
						const e = ordered_effects[j];
						if ((e.f & 24576) !== 0) continue;
						update_effect(e);
					}
				}
				eager_block_effects.clear();
			}
		}
	}
	eager_block_effects = null;
}
function mark_effects(value, sources, marked, checked) {
	if (marked.has(value)) return;
	marked.add(value);
	if (value.reactions !== null) for (const reaction of value.reactions) {
		const flags = reaction.f;
		if ((flags & 2) !== 0) mark_effects(reaction, sources, marked, checked);
		else if ((flags & 4194320) !== 0 && (flags & 2048) === 0 && depends_on(reaction, sources, checked)) {
			set_signal_status(reaction, DIRTY);
			schedule_effect(reaction);
		}
	}
}
function depends_on(reaction, sources, checked) {
	const depends = checked.get(reaction);
	if (depends !== void 0) return depends;
	if (reaction.deps !== null) for (const dep of reaction.deps) {
		if (includes.call(sources, dep)) return true;
		if ((dep.f & 2) !== 0 && depends_on(dep, sources, checked)) {
			checked.set(dep, true);
			return true;
		}
	}
	checked.set(reaction, false);
	return false;
}
function schedule_effect(effect) {
	current_batch.schedule(effect);
}
function reset_branch(effect, tracked) {
	if ((effect.f & 32) !== 0 && (effect.f & 1024) !== 0) return;
	if ((effect.f & 2048) !== 0) tracked.d.push(effect);
	else if ((effect.f & 4096) !== 0) tracked.m.push(effect);
	set_signal_status(effect, CLEAN);
	var e = effect.first;
	while (e !== null) {
		reset_branch(e, tracked);
		e = e.next;
	}
}
function reset_all(effect) {
	set_signal_status(effect, CLEAN);
	var e = effect.first;
	while (e !== null) {
		reset_all(e);
		e = e.next;
	}
}
// node_modules/svelte/src/internal/client/reactivity/sources.js
var eager_effects = new Set();
var old_values = new Map();
var eager_effects_deferred = false;
function source(v, stack) {
	return {
		f: 0,
		v,
		reactions: null,
		equals,
		rv: 0,
		wv: 0
	};
}
function state(v, stack) {
	const s = source(v, stack);
	push_reaction_value(s);
	return s;
}
function mutable_source(initial_value, immutable = false, trackable = true) {
	const s = source(initial_value);
	if (!immutable) s.equals = safe_equals;
	if (legacy_mode_flag && trackable && component_context !== null && component_context.l !== null) (component_context.l.s ??= []).push(s);
	return s;
}
function set(source, value, should_proxy = false) {
	if (active_reaction !== null && (!untracking || (active_reaction.f & 131072) !== 0) && is_runes() && (active_reaction.f & 4325394) !== 0 && (current_sources === null || !current_sources.has(source))) state_unsafe_mutation();
	return internal_set(source, should_proxy ? proxy(value) : value, legacy_updates);
}
var seen$1 = null;
var count_deps = 0;
function internal_set(source, value, updated_during_traversal = null) {
	if (!source.equals(value)) {
		if (is_destroying_effect) old_values.set(source, value);
		else if (!old_values.has(source)) old_values.set(source, source.v);
		var batch = Batch.ensure();
		batch.capture(source, value);
		if ((source.f & 2) !== 0) {
			const derived = source;
			if ((source.f & 2048) !== 0) execute_derived(derived);
			if (batch_values === null) update_derived_status(derived);
		}
		source.wv = increment_write_version();
		seen$1 = null;
		count_deps = 0;
		mark_reactions(source, DIRTY, updated_during_traversal);
		seen$1 = null;
		if (is_runes() && active_effect !== null && (active_effect.f & 1024) !== 0 && (active_effect.f & 96) === 0) {
			if (untracked_writes === null) set_untracked_writes([source]);
			else untracked_writes.push(source);
		}
		if (!batch.is_fork && eager_effects.size > 0 && !eager_effects_deferred) flush_eager_effects();
	}
	return value;
}
function flush_eager_effects() {
	eager_effects_deferred = false;
	for (const effect of eager_effects) {
		if ((effect.f & 1024) !== 0) set_signal_status(effect, MAYBE_DIRTY);
		let dirty;
		try {
			dirty = is_dirty(effect);
		} catch {
			dirty = true;
		}
		if (dirty) update_effect(effect);
	}
	eager_effects.clear();
}
function increment(source) {
	set(source, source.v + 1);
}
function mark_reactions(signal, status, updated_during_traversal) {
	var reactions = signal.reactions;
	if (reactions === null) return;
	var runes = is_runes();
	var length = reactions.length;
	count_deps += length;
	if (count_deps > 1e5 && seen$1 === null) seen$1 = new Set();
	if (seen$1 !== null) {
		if (seen$1.has(signal)) return;
		seen$1.add(signal);
	}
	for (var i = 0; i < length; i++) {
		var reaction = reactions[i];
		var flags = reaction.f;
		if (!runes && reaction === active_effect) continue;
		var not_dirty = (flags & DIRTY) === 0;
		if (not_dirty) set_signal_status(reaction, status);
		if ((flags & 131072) !== 0) eager_effects.add(reaction);
		else if ((flags & 2) !== 0) {
			var derived = reaction;
			batch_values?.delete(derived);
			mark_reactions(derived, MAYBE_DIRTY, updated_during_traversal);
		} else if (not_dirty) {
			var effect = reaction;
			if ((flags & 16) !== 0 && eager_block_effects !== null) eager_block_effects.add(effect);
			if (updated_during_traversal !== null) updated_during_traversal.push(effect);
			else schedule_effect(effect);
		}
	}
}
function proxy(value) {
	if (typeof value !== "object" || value === null || STATE_SYMBOL in value || COMPONENT_SYMBOL in value) return value;
	const prototype = get_prototype_of(value);
	if (prototype !== object_prototype && prototype !== array_prototype) return value;
	var sources = new Map();
	var is_proxied_array = is_array(value);
	var version = state(0);
	var stack = null;
	var parent_version = update_version;
	var with_parent = (fn) => {
		if (update_version === parent_version) return fn();
		var reaction = active_reaction;
		var version = update_version;
		set_active_reaction(null);
		set_update_version(parent_version);
		var result = fn();
		set_active_reaction(reaction);
		set_update_version(version);
		return result;
	};
	if (is_proxied_array) sources.set("length", state(value.length, stack));
	return new Proxy(value, {
		defineProperty(_, prop, descriptor) {
			if (!("value" in descriptor) || descriptor.configurable === false || descriptor.enumerable === false || descriptor.writable === false) state_descriptors_fixed();
			var s = sources.get(prop);
			if (s === void 0) with_parent(() => {
				var s = state(descriptor.value, stack);
				sources.set(prop, s);
				return s;
			});
			else set(s, descriptor.value, true);
			return true;
		},
		deleteProperty(target, prop) {
			var s = sources.get(prop);
			if (s === void 0) {
				if (prop in target) {
					const s = with_parent(() => state(UNINITIALIZED, stack));
					sources.set(prop, s);
					increment(version);
				}
			} else {
				set(s, UNINITIALIZED);
				increment(version);
			}
			return true;
		},
		get(target, prop, receiver) {
			if (prop === STATE_SYMBOL) return value;
			var s = sources.get(prop);
			var exists = prop in target;
			if (s === void 0 && (!exists || get_descriptor(target, prop)?.writable)) {
				s = with_parent(() => {
					return state(proxy(exists ? target[prop] : UNINITIALIZED), stack);
				});
				sources.set(prop, s);
			}
			if (s !== void 0) {
				var v = get(s);
				return v === UNINITIALIZED ? void 0 : v;
			}
			return Reflect.get(target, prop, receiver);
		},
		getOwnPropertyDescriptor(target, prop) {
			this.has?.(target, prop);
			var descriptor = Reflect.getOwnPropertyDescriptor(target, prop);
			var s = sources.get(prop);
			if (s !== void 0) {
				var value = get(s);
				if (value === UNINITIALIZED) return;
				if (descriptor && "value" in descriptor) descriptor.value = value;
				else return {
					enumerable: true,
					configurable: true,
					value,
					writable: true
				};
			}
			return descriptor;
		},
		has(target, prop) {
			if (prop === STATE_SYMBOL) return true;
			var s = sources.get(prop);
			var has = s !== void 0 && s.v !== UNINITIALIZED || Reflect.has(target, prop);
			if (s !== void 0 || (active_effect !== null || active_reaction !== null) && (!has || get_descriptor(target, prop)?.writable)) {
				if (s === void 0) {
					s = with_parent(() => {
						return state(has ? proxy(target[prop]) : UNINITIALIZED, stack);
					});
					sources.set(prop, s);
				}
				if (get(s) === UNINITIALIZED) return false;
			}
			return has;
		},
		set(target, prop, value, receiver) {
			var s = sources.get(prop);
			var has = prop in target;
			if (is_proxied_array && prop === "length") for (var i = value; i < s.v; i += 1) {
				var other_s = sources.get(i + "");
				if (other_s !== void 0) set(other_s, UNINITIALIZED);
				else if (i in target) {
					other_s = with_parent(() => state(UNINITIALIZED, stack));
					sources.set(i + "", other_s);
				}
			}
			if (s === void 0) {
				if (!has || get_descriptor(target, prop)?.writable) {
					s = with_parent(() => state(void 0, stack));
					set(s, proxy(value));
					sources.set(prop, s);
				}
			} else {
				has = s.v !== UNINITIALIZED;
				var p = with_parent(() => proxy(value));
				set(s, p);
			}
			var descriptor = Reflect.getOwnPropertyDescriptor(target, prop);
			if (descriptor?.set) descriptor.set.call(receiver, value);
			if (!has) {
				if (is_proxied_array && typeof prop === "string") {
					var ls = sources.get("length");
					var n = Number(prop);
					if (Number.isInteger(n) && n >= ls.v) set(ls, n + 1);
				}
				increment(version);
			}
			return true;
		},
		ownKeys(target) {
			get(version);
			var own_keys = Reflect.ownKeys(target).filter((key) => {
				var source = sources.get(key);
				return source === void 0 || source.v !== UNINITIALIZED;
			});
			for (var [key, source] of sources) if (source.v !== UNINITIALIZED && !(key in target)) own_keys.push(key);
			return own_keys;
		},
		setPrototypeOf() {
			state_prototype_fixed();
		}
	});
}
function get_proxied_value(value) {
	try {
		if (value !== null && typeof value === "object" && STATE_SYMBOL in value) return value[STATE_SYMBOL];
	} catch {}
	return value;
}
function is(a, b) {
	return Object.is(get_proxied_value(a), get_proxied_value(b));
}
// node_modules/svelte/src/internal/client/dom/operations.js
var $window;
var is_firefox;
var first_child_getter;
var next_sibling_getter;
function init_operations() {
	if ($window !== void 0) return;
	$window = window;
	is_firefox = /Firefox/.test(navigator.userAgent);
	var element_prototype = Element.prototype;
	var node_prototype = Node.prototype;
	var text_prototype = Text.prototype;
	first_child_getter = get_descriptor(node_prototype, "firstChild").get;
	next_sibling_getter = get_descriptor(node_prototype, "nextSibling").get;
	if (is_extensible(element_prototype)) {
		element_prototype[CLASS_CACHE] = void 0;
		element_prototype[ATTRIBUTES_CACHE] = null;
		element_prototype[STYLE_CACHE] = void 0;
		element_prototype.__e = void 0;
	}
	if (is_extensible(text_prototype)) text_prototype[TEXT_CACHE] = void 0;
}
function create_text(value = "") {
	return document.createTextNode(value);
}
function get_first_child(node) {
	return first_child_getter.call(node);
}
function get_next_sibling(node) {
	return next_sibling_getter.call(node);
}
function child(node, is_text) {
	if (!hydrating) return get_first_child(node);
	var child = get_first_child(hydrate_node);
	if (child === null) child = hydrate_node.appendChild(create_text());
	else if (is_text && child.nodeType !== 3) {
		var text = create_text();
		child?.before(text);
		set_hydrate_node(text);
		return text;
	}
	if (is_text) merge_text_nodes(child);
	set_hydrate_node(child);
	return child;
}
function first_child(node, is_text = false) {
	if (!hydrating) {
		var first = get_first_child(node);
		if (first instanceof Comment && first.data === "") return get_next_sibling(first);
		return first;
	}
	if (is_text) {
		if (hydrate_node?.nodeType !== 3) {
			var text = create_text();
			hydrate_node?.before(text);
			set_hydrate_node(text);
			return text;
		}
		merge_text_nodes(hydrate_node);
	}
	return hydrate_node;
}
function only_child(node, is_text = false) {
	if (!hydrating) return get_first_child(node);
	var first = child(node, is_text);
	reset(node);
	return first;
}
function sibling(node, count = 1, is_text = false) {
	let next_sibling = hydrating ? hydrate_node : node;
	var last_sibling;
	while (count--) {
		last_sibling = next_sibling;
		next_sibling = get_next_sibling(next_sibling);
	}
	if (!hydrating) return next_sibling;
	if (is_text) {
		if (next_sibling?.nodeType !== 3) {
			var text = create_text();
			if (next_sibling === null) last_sibling?.after(text);
			else next_sibling.before(text);
			set_hydrate_node(text);
			return text;
		}
		merge_text_nodes(next_sibling);
	}
	set_hydrate_node(next_sibling);
	return next_sibling;
}
function clear_text_content(node) {
	node.textContent = "";
}
function should_defer_append() {
	if (!async_mode_flag) return false;
	if (eager_block_effects !== null) return false;
	return (active_effect.f & REACTION_RAN) !== 0;
}
function create_element(tag, namespace, is) {
	if (namespace == null || namespace === "http://www.w3.org/1999/xhtml") return is ? document.createElement(tag, { is }) : document.createElement(tag);
	return is ? document.createElementNS(namespace, tag, { is }) : document.createElementNS(namespace, tag);
}
function merge_text_nodes(text) {
	if (text.nodeValue.length < 65536) return;
	let next = text.nextSibling;
	while (next !== null && next.nodeType === 3) {
		next.remove();
		text.nodeValue += next.nodeValue;
		next = text.nextSibling;
	}
}
function handle_error(error) {
	var effect = active_effect;
	if (effect === null) {
		active_reaction.f |= ERROR_VALUE;
		return error;
	}
	if ((effect.f & 32768) === 0 && (effect.f & 4) === 0) throw error;
	invoke_error_boundary(error, effect);
}
function invoke_error_boundary(error, effect) {
	if (error === HYDRATION_ERROR) throw error;
	if (effect !== null && (effect.f & 16384) !== 0) return;
	while (effect !== null) {
		if ((effect.f & 128) !== 0 && (effect.f & 33570816) === 0) {
			if ((effect.f & 32768) === 0) throw error;
			try {
				effect.b.error(error);
				return;
			} catch (e) {
				error = e;
			}
		}
		effect = effect.parent;
	}
	throw error;
}
// node_modules/svelte/src/internal/client/reactivity/effects.js
function validate_effect(rune) {
	if (active_effect === null) {
		if (active_reaction === null) effect_orphan(rune);
		effect_in_unowned_derived();
	}
	if (is_destroying_effect) effect_in_teardown(rune);
}
function push_effect(effect, parent_effect) {
	var parent_last = parent_effect.last;
	if (parent_last === null) parent_effect.last = parent_effect.first = effect;
	else {
		parent_last.next = effect;
		effect.prev = parent_last;
		parent_effect.last = effect;
	}
}
function create_effect(type, fn) {
	var parent = active_effect;
	if (parent !== null && (parent.f & 8192) !== 0) type |= INERT;
	var effect = {
		ctx: component_context,
		deps: null,
		nodes: null,
		f: type | DIRTY | 512,
		first: null,
		fn,
		last: null,
		next: null,
		parent,
		b: parent && parent.b,
		prev: null,
		teardown: null,
		wv: 0,
		ac: null
	};
	current_batch?.register_created_effect(effect);
	var e = effect;
	if ((type & 4) !== 0) {
		if (collected_effects !== null) collected_effects.push(effect);
		else Batch.ensure().schedule(effect);
	} else if (fn !== null) {
		try {
			update_effect(effect);
		} catch (e) {
			destroy_effect(effect);
			throw e;
		}
		if (e.deps === null && e.teardown === null && e.nodes === null && e.first === e.last && (e.f & 524288) === 0) {
			e = e.first;
			if ((type & 16) !== 0 && (type & 65536) !== 0 && e !== null) e.f |= EFFECT_TRANSPARENT;
		}
	}
	if (e !== null) {
		e.parent = parent;
		if (parent !== null) push_effect(e, parent);
		if (active_reaction !== null && (active_reaction.f & 2) !== 0 && (type & 64) === 0) {
			var derived = active_reaction;
			(derived.effects ??= []).push(e);
		}
	}
	return effect;
}
function effect_tracking() {
	return active_reaction !== null && !untracking;
}
function teardown(fn) {
	const effect = create_effect(8, null);
	set_signal_status(effect, CLEAN);
	effect.teardown = fn;
	return effect;
}
function user_effect(fn) {
	validate_effect("$effect");
	var flags = active_effect.f;
	if (!active_reaction && (flags & 32) !== 0 && component_context !== null && !component_context.i) {
		var context = component_context;
		(context.e ??= []).push(fn);
	} else return create_user_effect(fn);
}
function create_user_effect(fn) {
	return create_effect(4 | USER_EFFECT, fn);
}
function user_pre_effect(fn) {
	validate_effect("$effect.pre");
	return create_effect(8 | USER_EFFECT, fn);
}
function component_root(fn) {
	Batch.ensure();
	const effect = create_effect(64 | EFFECT_PRESERVED, fn);
	return (options = {}) => {
		return new Promise((fulfil) => {
			if (options.outro) pause_effect(effect, () => {
				destroy_effect(effect);
				fulfil(void 0);
			});
			else {
				destroy_effect(effect);
				fulfil(void 0);
			}
		});
	};
}
function effect(fn) {
	return create_effect(4, fn);
}
function async_effect(fn) {
	return create_effect(ASYNC | EFFECT_PRESERVED, fn);
}
function render_effect(fn, flags = 0) {
	return create_effect(8 | flags, fn);
}
function template_effect(fn, sync = [], async = [], blockers = []) {
	flatten(blockers, sync, async, (values) => {
		create_effect(8, () => {
			fn(...values.map(get));
		});
	});
}
function block(fn, flags = 0) {
	return create_effect(16 | flags, fn);
}
function branch(fn) {
	return create_effect(32 | EFFECT_PRESERVED, fn);
}
function execute_effect_teardown(effect) {
	var teardown = effect.teardown;
	if (teardown !== null) {
		const previously_destroying_effect = is_destroying_effect;
		const previous_reaction = active_reaction;
		set_is_destroying_effect(true);
		set_active_reaction(null);
		try {
			teardown.call(null);
		} catch (error) {
			invoke_error_boundary(error, effect.parent);
		} finally {
			set_is_destroying_effect(previously_destroying_effect);
			set_active_reaction(previous_reaction);
		}
	}
}
function destroy_effect_children(signal, remove_dom = false) {
	var effect = signal.first;
	signal.first = signal.last = null;
	while (effect !== null) {
		const controller = effect.ac;
		if (controller !== null) without_reactive_context(() => {
			controller.abort(STALE_REACTION);
		});
		var next = effect.next;
		if ((effect.f & 64) !== 0) effect.parent = null;
		else destroy_effect(effect, remove_dom);
		effect = next;
	}
}
function destroy_block_effect_children(signal) {
	var effect = signal.first;
	while (effect !== null) {
		var next = effect.next;
		if ((effect.f & 32) === 0) destroy_effect(effect);
		effect = next;
	}
}
function destroy_effect(effect, remove_dom = true) {
	var removed = false;
	if ((remove_dom || (effect.f & 262144) !== 0) && effect.nodes !== null && effect.nodes.end !== null) {
		remove_effect_dom(effect.nodes.start, effect.nodes.end);
		removed = true;
	}
	effect.f |= DESTROYING;
	destroy_effect_children(effect, remove_dom && !removed);
	remove_reactions(effect, 0);
	var transitions = effect.nodes && effect.nodes.t;
	if (transitions !== null) for (const transition of transitions) transition.stop();
	execute_effect_teardown(effect);
	effect.f ^= DESTROYING;
	effect.f |= DESTROYED;
	var parent = effect.parent;
	if (parent !== null && parent.first !== null) unlink_effect(effect);
	effect.next = effect.prev = effect.teardown = effect.ctx = effect.deps = effect.fn = effect.nodes = effect.ac = effect.b = null;
}
function remove_effect_dom(node, end) {
	while (node !== null) {
		var next = node === end ? null : get_next_sibling(node);
		node.remove();
		node = next;
	}
}
function unlink_effect(effect) {
	var parent = effect.parent;
	var prev = effect.prev;
	var next = effect.next;
	if (prev !== null) prev.next = next;
	if (next !== null) next.prev = prev;
	if (parent !== null) {
		if (parent.first === effect) parent.first = next;
		if (parent.last === effect) parent.last = prev;
	}
}
function pause_effect(effect, callback, destroy = true) {
	var transitions = [];
	effect.f |= 256;
	pause_children(effect, transitions, true);
	var fn = () => {
		if (destroy) destroy_effect(effect);
		if (callback) callback();
	};
	var remaining = transitions.length;
	if (remaining > 0) {
		var check = () => --remaining || fn();
		for (var transition of transitions) transition.out(check);
	} else fn();
}
function pause_children(effect, transitions, local) {
	if ((effect.f & 8192) !== 0) return;
	effect.f ^= INERT;
	var t = effect.nodes && effect.nodes.t;
	if (t !== null) {
		for (const transition of t) if (transition.is_global || local) transitions.push(transition);
	}
	var child = effect.first;
	while (child !== null) {
		var sibling = child.next;
		if ((child.f & 64) === 0) {
			var transparent = (child.f & 65536) !== 0 || (child.f & 32) !== 0 && (effect.f & 16) !== 0;
			pause_children(child, transitions, transparent ? local : false);
		}
		child = sibling;
	}
}
function resume_effect(effect) {
	effect.f &= -257;
	resume_children(effect, true);
}
function resume_children(effect, local) {
	if ((effect.f & 256) !== 0) return;
	if ((effect.f & 8192) === 0) return;
	effect.f ^= INERT;
	if ((effect.f & 1024) === 0) {
		set_signal_status(effect, DIRTY);
		Batch.ensure().schedule(effect);
	}
	var child = effect.first;
	while (child !== null) {
		var sibling = child.next;
		var transparent = (child.f & 65536) !== 0 || (child.f & 32) !== 0;
		resume_children(child, transparent ? local : false);
		child = sibling;
	}
	var t = effect.nodes && effect.nodes.t;
	if (t !== null) {
		for (const transition of t) if (transition.is_global || local) transition.in();
	}
}
function move_effect(effect, fragment) {
	if (!effect.nodes) return;
	var node = effect.nodes.start;
	var end = effect.nodes.end;
	while (node !== null) {
		var next = node === end ? null : get_next_sibling(node);
		fragment.append(node);
		node = next;
	}
}
// node_modules/svelte/src/internal/client/legacy.js
var captured_signals = null;
// node_modules/svelte/src/internal/client/runtime.js
var is_destroying_effect = false;
function set_is_destroying_effect(value) {
	is_destroying_effect = value;
}
var active_reaction = null;
var untracking = false;
function set_active_reaction(reaction) {
	active_reaction = reaction;
}
var active_effect = null;
function set_active_effect(effect) {
	active_effect = effect;
}
var current_sources = null;
function push_reaction_value(value) {
	if (active_reaction !== null && (!async_mode_flag && (active_reaction.f & 2097152) !== 0 || (active_reaction.f & 2) !== 0)) (current_sources ??= new Set()).add(value);
}
var new_deps = null;
var skipped_deps = 0;
var untracked_writes = null;
function set_untracked_writes(value) {
	untracked_writes = value;
}
var write_version = 1;
var read_version = 0;
var update_version = read_version;
function set_update_version(value) {
	update_version = value;
}
function increment_write_version() {
	return ++write_version;
}
function is_dirty(reaction) {
	var flags = reaction.f;
	if ((flags & 2048) !== 0) return true;
	if ((flags & 4096) !== 0) {
		var dependencies = reaction.deps;
		var length = dependencies.length;
		for (var i = 0; i < length; i++) {
			var dependency = dependencies[i];
			if (is_dirty(dependency)) update_derived(dependency);
			if (dependency.wv > reaction.wv) return true;
		}
		if ((flags & 512) !== 0 && batch_values === null) set_signal_status(reaction, CLEAN);
	}
	return false;
}
function schedule_possible_effect_self_invalidation(signal, effect, root = true) {
	var reactions = signal.reactions;
	if (reactions === null) return;
	if (!async_mode_flag && current_sources !== null && current_sources.has(signal)) return;
	for (var i = 0; i < reactions.length; i++) {
		var reaction = reactions[i];
		if ((reaction.f & 2) !== 0) schedule_possible_effect_self_invalidation(reaction, effect, false);
		else if (effect === reaction) {
			if (root) set_signal_status(reaction, DIRTY);
			else if ((reaction.f & 1024) !== 0) set_signal_status(reaction, MAYBE_DIRTY);
			schedule_effect(reaction);
		}
	}
}
function update_reaction(reaction) {
	var previous_deps = new_deps;
	var previous_skipped_deps = skipped_deps;
	var previous_untracked_writes = untracked_writes;
	var previous_reaction = active_reaction;
	var previous_sources = current_sources;
	var previous_component_context = component_context;
	var previous_untracking = untracking;
	var previous_update_version = update_version;
	var flags = reaction.f;
	new_deps = null;
	skipped_deps = 0;
	untracked_writes = null;
	active_reaction = (flags & 96) === 0 ? reaction : null;
	current_sources = null;
	set_component_context(reaction.ctx);
	untracking = false;
	update_version = ++read_version;
	if (reaction.ac !== null) {
		without_reactive_context(() => {
			reaction.ac.abort(STALE_REACTION);
		});
		reaction.ac = null;
	}
	try {
		reaction.f |= REACTION_IS_UPDATING;
		var fn = reaction.fn;
		var result = fn();
		reaction.f |= REACTION_RAN;
		var deps = update_dependencies(reaction);
		if (is_runes() && untracked_writes !== null && !untracking && deps !== null && (reaction.f & 6146) === 0) for (var i = 0; i < untracked_writes.length; i++) schedule_possible_effect_self_invalidation(untracked_writes[i], reaction);
		if (previous_reaction !== null && previous_reaction !== reaction) {
			read_version++;
			if (previous_reaction.deps !== null) for (let i = 0; i < previous_skipped_deps; i += 1) previous_reaction.deps[i].rv = read_version;
			if (previous_deps !== null) for (const dep of previous_deps) dep.rv = read_version;
			if (untracked_writes !== null) {
				if (previous_untracked_writes === null) previous_untracked_writes = untracked_writes;
				else previous_untracked_writes.push(...untracked_writes);
			}
		}
		if ((reaction.f & 8388608) !== 0) reaction.f ^= ERROR_VALUE;
		return result;
	} catch (error) {
		update_dependencies(reaction);
		return handle_error(error);
	} finally {
		reaction.f ^= REACTION_IS_UPDATING;
		new_deps = previous_deps;
		skipped_deps = previous_skipped_deps;
		untracked_writes = previous_untracked_writes;
		active_reaction = previous_reaction;
		current_sources = previous_sources;
		set_component_context(previous_component_context);
		untracking = previous_untracking;
		update_version = previous_update_version;
	}
}
function update_dependencies(reaction) {
	var deps = reaction.deps;
	var is_fork = current_batch?.is_fork;
	if (new_deps !== null) {
		var i;
		if (!is_fork) remove_reactions(reaction, skipped_deps);
		if (deps !== null && skipped_deps > 0) {
			deps.length = skipped_deps + new_deps.length;
			for (i = 0; i < new_deps.length; i++) deps[skipped_deps + i] = new_deps[i];
		} else reaction.deps = deps = new_deps;
		if (effect_tracking() && (reaction.f & 512) !== 0) for (i = skipped_deps; i < deps.length; i++) (deps[i].reactions ??= []).push(reaction);
	} else if (!is_fork && deps !== null && skipped_deps < deps.length) {
		remove_reactions(reaction, skipped_deps);
		deps.length = skipped_deps;
	}
	return deps;
}
function remove_reaction(signal, dependency) {
	let reactions = dependency.reactions;
	if (reactions !== null) {
		var index = index_of.call(reactions, signal);
		if (index !== -1) {
			var new_length = reactions.length - 1;
			if (new_length === 0) reactions = dependency.reactions = null;
			else {
				reactions[index] = reactions[new_length];
				reactions.pop();
			}
		}
	}
	if (reactions === null && (dependency.f & 2) !== 0 && (new_deps === null || !includes.call(new_deps, dependency))) {
		var derived = dependency;
		if ((derived.f & 512) !== 0) derived.f ^= 512;
		if (derived.v !== UNINITIALIZED) update_derived_status(derived);
		if (derived.ac !== null) without_reactive_context(() => {
			derived.ac.abort(STALE_REACTION);
			derived.ac = null;
			set_signal_status(derived, DIRTY);
		});
		freeze_derived_effects(derived);
		remove_reactions(derived, 0);
	}
}
function remove_reactions(signal, start_index) {
	var dependencies = signal.deps;
	if (dependencies === null) return;
	for (var i = start_index; i < dependencies.length; i++) remove_reaction(signal, dependencies[i]);
}
function update_effect(effect) {
	var flags = effect.f;
	if ((flags & 16384) !== 0) return;
	set_signal_status(effect, CLEAN);
	var previous_effect = active_effect;
	active_effect = effect;
	try {
		if ((flags & 16777232) !== 0) destroy_block_effect_children(effect);
		else destroy_effect_children(effect);
		execute_effect_teardown(effect);
		var teardown = update_reaction(effect);
		effect.teardown = typeof teardown === "function" ? teardown : null;
		effect.wv = write_version;
	} finally {
		active_effect = previous_effect;
	}
}
async function tick() {
	if (async_mode_flag) return new Promise((f) => {
		requestAnimationFrame(() => f());
		setTimeout(() => f());
	});
	await Promise.resolve();
	flushSync();
}
function get(signal) {
	var is_derived = (signal.f & 2) !== 0;
	captured_signals?.add(signal);
	if (active_reaction !== null && !untracking) {
		if (!(active_effect !== null && (active_effect.f & 16384) !== 0) && (current_sources === null || !current_sources.has(signal))) {
			var deps = active_reaction.deps;
			if ((active_reaction.f & 2097152) !== 0) {
				if (signal.rv < read_version) {
					signal.rv = read_version;
					if (new_deps === null && deps !== null && deps[skipped_deps] === signal) skipped_deps++;
					else if (new_deps === null) new_deps = [signal];
					else new_deps.push(signal);
				}
			} else {
				active_reaction.deps ??= [];
				if (!includes.call(active_reaction.deps, signal)) active_reaction.deps.push(signal);
				var reactions = signal.reactions;
				if (reactions === null) signal.reactions = [active_reaction];
				else if (!includes.call(reactions, active_reaction)) reactions.push(active_reaction);
			}
		}
	}
	if (is_destroying_effect && old_values.has(signal)) return old_values.get(signal);
	if (is_derived) {
		var derived = signal;
		if (is_destroying_effect) {
			var value = derived.v;
			if ((derived.f & 1024) === 0 && derived.reactions !== null || depends_on_old_values(derived)) value = execute_derived(derived);
			old_values.set(derived, value);
			return value;
		}
		var should_connect = (derived.f & 512) === 0 && !untracking && active_reaction !== null && (active_reaction.f & 512) !== 0;
		var is_new = (derived.f & REACTION_RAN) === 0;
		if (is_dirty(derived)) {
			if (should_connect) derived.f |= 512;
			update_derived(derived);
		}
		if (should_connect && !is_new) {
			unfreeze_derived_effects(derived);
			reconnect(derived);
		}
	}
	if (batch_values?.has(signal)) return batch_values.get(signal);
	if ((signal.f & 8388608) !== 0) throw signal.v;
	return signal.v;
}
function reconnect(derived) {
	derived.f |= 512;
	if (derived.deps === null) return;
	for (const dep of derived.deps) {
		var reactions = dep.reactions;
		if (reactions === null) dep.reactions = [derived];
		else if (!includes.call(reactions, derived)) reactions.push(derived);
		if ((dep.f & 2) !== 0 && (dep.f & 512) === 0) {
			unfreeze_derived_effects(dep);
			reconnect(dep);
		}
	}
}
function depends_on_old_values(derived) {
	if (derived.v === UNINITIALIZED) return true;
	if (derived.deps === null) return false;
	for (const dep of derived.deps) {
		if (old_values.has(dep)) return true;
		if ((dep.f & 2) !== 0 && depends_on_old_values(dep)) return true;
	}
	return false;
}
function untrack(fn) {
	var previous_untracking = untracking;
	try {
		untracking = true;
		return fn();
	} finally {
		untracking = previous_untracking;
	}
}
function deep_read_state(value) {
	if (typeof value !== "object" || !value || value instanceof EventTarget) return;
	if (STATE_SYMBOL in value) deep_read(value);
	else if (!Array.isArray(value)) for (let key in value) {
		const prop = value[key];
		if (typeof prop === "object" && prop && STATE_SYMBOL in prop) deep_read(prop);
	}
}
function deep_read(value, visited = new Set()) {
	if (typeof value === "object" && value !== null && !(value instanceof EventTarget) && !visited.has(value)) {
		visited.add(value);
		if (value instanceof Date) value.getTime();
		for (let key in value) try {
			deep_read(value[key], visited);
		} catch (e) {}
		const proto = get_prototype_of(value);
		if (proto !== Object.prototype && proto !== Array.prototype && proto !== Map.prototype && proto !== Set.prototype && proto !== Date.prototype) {
			const descriptors = get_descriptors(proto);
			for (let key in descriptors) {
				const get = descriptors[key].get;
				if (get) try {
					get.call(value);
				} catch (e) {}
			}
		}
	}
}
var PASSIVE_EVENTS = ["touchstart", "touchmove"];
function is_passive_event(name) {
	return PASSIVE_EVENTS.includes(name);
}
// node_modules/svelte/src/internal/client/dom/elements/events.js
var event_symbol = Symbol("events");
var all_registered_events = new Set();
var root_event_handles = new Set();
function create_event(event_name, dom, handler, options = {}) {
	function target_handler(event) {
		if (!options.capture) handle_event_propagation.call(dom, event);
		if (!event.cancelBubble) return without_reactive_context(() => {
			return handler?.call(this, event);
		});
	}
	if (event_name.startsWith("pointer") || event_name.startsWith("touch") || event_name === "wheel") {
		target_handler.__removed = false;
		queue_micro_task(() => {
			if (!target_handler.__removed) dom.addEventListener(event_name, target_handler, options);
		});
	} else dom.addEventListener(event_name, target_handler, options);
	return target_handler;
}
function event(event_name, dom, handler, capture, passive) {
	var options = {
		capture,
		passive
	};
	var target_handler = create_event(event_name, dom, handler, options);
	if (dom === document.body || dom === window || dom === document || dom instanceof HTMLMediaElement) teardown(() => {
		target_handler.__removed = true;
		dom.removeEventListener(event_name, target_handler, options);
	});
}
function delegated(event_name, element, handler) {
	(element[event_symbol] ??= {})[event_name] = handler;
}
function delegate(events) {
	for (var i = 0; i < events.length; i++) all_registered_events.add(events[i]);
	for (var fn of root_event_handles) fn(events);
}
var last_propagated_event = null;
var last_propagated_event_clear_scheduled = false;
function handle_event_propagation(event) {
	var handler_element = this;
	var owner_document = handler_element.ownerDocument;
	var event_name = event.type;
	var path = event.composedPath?.() || [];
	var current_target = path[0] || event.target;
	last_propagated_event = event;
	if (!last_propagated_event_clear_scheduled) {
		last_propagated_event_clear_scheduled = true;
		setTimeout(() => {
			last_propagated_event_clear_scheduled = false;
			last_propagated_event = null;
		});
	}
	var path_idx = 0;
	var handled_at = last_propagated_event === event && event[event_symbol];
	if (handled_at) {
		var at_idx = path.indexOf(handled_at);
		if (at_idx !== -1 && (handler_element === document || handler_element === window)) {
			event[event_symbol] = handler_element;
			return;
		}
		var handler_idx = path.indexOf(handler_element);
		if (handler_idx === -1) return;
		if (at_idx <= handler_idx) path_idx = at_idx;
	}
	current_target = path[path_idx] || event.target;
	if (current_target === handler_element) return;
	define_property(event, "currentTarget", {
		configurable: true,
		get() {
			return current_target || owner_document;
		}
	});
	var previous_reaction = active_reaction;
	var previous_effect = active_effect;
	set_active_reaction(null);
	set_active_effect(null);
	try {
		var throw_error;
		var other_errors = [];
		while (current_target !== null) {
			if (current_target === handler_element) break;
			try {
				var delegated = current_target[event_symbol]?.[event_name];
				if (delegated != null && (!current_target.disabled || event.target === current_target)) delegated.call(current_target, event);
			} catch (error) {
				if (throw_error) other_errors.push(error);
				else throw_error = error;
			}
			if (event.cancelBubble) break;
			path_idx++;
			current_target = path_idx < path.length ? path[path_idx] : null;
		}
		if (throw_error) {
			for (let error of other_errors) queueMicrotask(() => {
				throw error;
			});
			throw throw_error;
		}
	} finally {
		event[event_symbol] = handler_element;
		delete event.currentTarget;
		set_active_reaction(previous_reaction);
		set_active_effect(previous_effect);
	}
}
// node_modules/svelte/src/internal/client/dom/reconciler.js
var policy = globalThis?.window?.trustedTypes && globalThis.window.trustedTypes.createPolicy("svelte-trusted-html", { createHTML: (html) => {
	return html;
} });
function create_trusted_html(html) {
	return policy?.createHTML(html) ?? html;
}
function create_fragment_from_html(html) {
	var elem = create_element("template");
	elem.innerHTML = create_trusted_html(html.replaceAll("<!>", "<!---->"));
	return elem.content;
}
// node_modules/svelte/src/internal/client/dom/template.js
function assign_nodes(start, end) {
	var effect = active_effect;
	if (effect.nodes === null) effect.nodes = {
		start,
		end,
		a: null,
		t: null
	};
}
function from_html(content, flags) {
	var is_fragment = (flags & 1) !== 0;
	var use_import_node = (flags & 2) !== 0;
	var node;
	var has_start = !content.startsWith("<!>");
	return () => {
		if (hydrating) {
			assign_nodes(hydrate_node, null);
			return hydrate_node;
		}
		if (node === void 0) {
			node = create_fragment_from_html(has_start ? content : "<!>" + content);
			if (!is_fragment) node = get_first_child(node);
		}
		var clone = use_import_node || is_firefox ? document.importNode(node, true) : node.cloneNode(true);
		if (is_fragment) {
			var start = get_first_child(clone);
			var end = clone.lastChild;
			assign_nodes(start, end);
		} else assign_nodes(clone, clone);
		return clone;
	};
}
function from_namespace(content, flags, ns = "svg") {
	var has_start = !content.startsWith("<!>");
	var is_fragment = (flags & 1) !== 0;
	var wrapped = `<${ns}>${has_start ? content : "<!>" + content}</${ns}>`;
	var node;
	return () => {
		if (hydrating) {
			assign_nodes(hydrate_node, null);
			return hydrate_node;
		}
		if (!node) {
			var root = get_first_child(create_fragment_from_html(wrapped));
			if (is_fragment) {
				node = document.createDocumentFragment();
				while (get_first_child(root)) node.appendChild(get_first_child(root));
			} else node = get_first_child(root);
		}
		var clone = node.cloneNode(true);
		if (is_fragment) {
			var start = get_first_child(clone);
			var end = clone.lastChild;
			assign_nodes(start, end);
		} else assign_nodes(clone, clone);
		return clone;
	};
}
function from_svg(content, flags) {
	return from_namespace(content, flags, "svg");
}
function text(value = "") {
	if (!hydrating) {
		var t = create_text(value + "");
		assign_nodes(t, t);
		return t;
	}
	var node = hydrate_node;
	if (node.nodeType !== 3) {
		node.before(node = create_text());
		set_hydrate_node(node);
	} else merge_text_nodes(node);
	assign_nodes(node, node);
	return node;
}
function comment() {
	if (hydrating) {
		assign_nodes(hydrate_node, null);
		return hydrate_node;
	}
	var frag = document.createDocumentFragment();
	var start = document.createComment("");
	var anchor = create_text();
	frag.append(start, anchor);
	assign_nodes(start, anchor);
	return frag;
}
function append(anchor, dom) {
	if (hydrating) {
		var effect = active_effect;
		if ((effect.f & 32768) === 0 || effect.nodes.end === null) effect.nodes.end = hydrate_node;
		hydrate_next();
		return;
	}
	if (anchor === null) return;
	anchor.before(dom);
}
// node_modules/svelte/src/reactivity/create-subscriber.js
function createSubscriber(start) {
	let subscribers = 0;
	let version = source(0);
	let stop;
	return () => {
		if (effect_tracking()) {
			get(version);
			render_effect(() => {
				if (subscribers === 0) stop = untrack(() => start(() => increment(version)));
				subscribers += 1;
				return () => {
					queue_micro_task(() => {
						subscribers -= 1;
						if (subscribers === 0) {
							stop?.();
							stop = void 0;
							increment(version);
						}
					});
				};
			});
		}
	};
}
// node_modules/svelte/src/internal/client/dom/blocks/boundary.js
var flags = EFFECT_TRANSPARENT | EFFECT_PRESERVED;
function boundary(node, props, children, transform_error) {
	new Boundary(node, props, children, transform_error);
}
var Boundary = class {
	parent;
	is_pending = false;
	transform_error;
	#anchor;
	#hydrate_open = hydrating ? hydrate_node : null;
	#props;
	#children;
	#effect;
	#main_effect = null;
	#pending_effect = null;
	#failed_effect = null;
	#offscreen_fragment = null;
	#local_pending_count = 0;
	#pending_count = 0;
	#pending_count_update_queued = false;
	#dirty_reactions = new Map();
	#effect_pending = null;
	#effect_pending_subscriber = createSubscriber(() => {
		this.#effect_pending = source(this.#local_pending_count);
		return () => {
			this.#effect_pending = null;
		};
	});
	constructor(node, props, children, transform_error) {
		this.#anchor = node;
		this.#props = props;
		this.#children = (anchor) => {
			var effect = active_effect;
			effect.b = this;
			effect.f |= 128;
			children(anchor);
		};
		this.parent = active_effect.b;
		this.transform_error = transform_error ?? this.parent?.transform_error ?? ((e) => e);
		this.#effect = block(() => {
			if (hydrating) {
				const comment_data = read_hydration_instruction(this.#hydrate_open);
				hydrate_next();
				const server_rendered_pending = comment_data === "[!";
				if (comment_data.startsWith("[?")) {
					const serialized_error = JSON.parse(comment_data.slice(2));
					this.#hydrate_failed_content(serialized_error);
				} else if (server_rendered_pending) this.#hydrate_pending_content();
				else this.#hydrate_resolved_content();
			} else this.#render();
		}, flags);
		if (hydrating) this.#anchor = hydrate_node;
	}
	#hydrate_resolved_content() {
		try {
			this.#main_effect = branch(() => this.#children(this.#anchor));
		} catch (error) {
			this.error(error);
		}
	}
	#hydrate_failed_content(error) {
		const failed = this.#props.failed;
		const { reset, invoke_onerror } = this.#create_reset(error);
		queue_micro_task(invoke_onerror);
		if (!failed) return;
		this.#failed_effect = branch(() => {
			failed(this.#anchor, () => error, () => reset);
		});
	}
	#create_reset(error) {
		var did_reset = false;
		var calling_on_error = false;
		const reset = () => {
			if (this.#is_destroyed()) return;
			if (did_reset) {
				svelte_boundary_reset_noop();
				return;
			}
			did_reset = true;
			if (calling_on_error) svelte_boundary_reset_onerror();
			if (this.#failed_effect !== null) pause_effect(this.#failed_effect, () => {
				this.#failed_effect = null;
			});
			this.#run(() => {
				this.#render();
			});
		};
		const invoke_onerror = () => {
			if (this.#is_destroyed()) return;
			try {
				calling_on_error = true;
				this.#props.onerror?.(error, reset);
				calling_on_error = false;
			} catch (err) {
				invoke_error_boundary(err, this.#effect && this.#effect.parent);
			}
		};
		return {
			reset,
			invoke_onerror
		};
	}
	#is_destroyed() {
		return (this.#effect.f & (DESTROYED | DESTROYING)) !== 0;
	}
	#hydrate_pending_content() {
		const pending = this.#props.pending;
		if (!pending) return;
		this.is_pending = true;
		this.#pending_effect = branch(() => pending(this.#anchor));
		queue_micro_task(() => {
			if (this.#is_destroyed()) return;
			var fragment = this.#offscreen_fragment = document.createDocumentFragment();
			var anchor = create_text();
			var handled = false;
			fragment.append(anchor);
			this.#main_effect = this.#run(() => {
				try {
					return branch(() => this.#children(anchor));
				} catch (error) {
					try {
						this.error(error);
						handled = true;
					} catch (error) {
						invoke_error_boundary(error, this.#effect.parent);
					}
					return null;
				}
			});
			if (this.#main_effect === null) {
				this.#offscreen_fragment = null;
				if (handled) this.#resolve(current_batch);
				return;
			}
			if (this.#pending_count === 0) {
				this.#anchor.before(fragment);
				this.#offscreen_fragment = null;
				pause_effect(this.#pending_effect, () => {
					this.#pending_effect = null;
				});
				this.#resolve(current_batch);
			}
		});
	}
	#render() {
		try {
			this.is_pending = this.has_pending_snippet();
			this.#pending_count = 0;
			this.#local_pending_count = 0;
			this.#main_effect = branch(() => {
				this.#children(this.#anchor);
			});
			if (this.#pending_count > 0) {
				var fragment = this.#offscreen_fragment = document.createDocumentFragment();
				move_effect(this.#main_effect, fragment);
				const pending = this.#props.pending;
				this.#pending_effect = branch(() => pending(this.#anchor));
			} else this.#resolve(current_batch);
		} catch (error) {
			this.error(error);
		}
	}
	#resolve(batch) {
		this.is_pending = false;
		batch.transfer_reactions(this.#dirty_reactions);
	}
	defer_effect(effect) {
		defer_effect(effect, this.#dirty_reactions);
	}
	is_rendered() {
		return !this.is_pending && (!this.parent || this.parent.is_rendered());
	}
	has_pending_snippet() {
		return !!this.#props.pending;
	}
	#run(fn) {
		var previous_effect = active_effect;
		var previous_reaction = active_reaction;
		var previous_ctx = component_context;
		set_active_effect(this.#effect);
		set_active_reaction(this.#effect);
		set_component_context(this.#effect.ctx);
		try {
			Batch.ensure();
			return fn();
		} finally {
			set_active_effect(previous_effect);
			set_active_reaction(previous_reaction);
			set_component_context(previous_ctx);
		}
	}
	#update_pending_count(d, batch) {
		if (!this.has_pending_snippet()) {
			if (this.parent) this.parent.#update_pending_count(d, batch);
			return;
		}
		this.#pending_count += d;
		if (this.#pending_count === 0) {
			this.#resolve(batch);
			if (this.#pending_effect) pause_effect(this.#pending_effect, () => {
				this.#pending_effect = null;
			});
			if (this.#offscreen_fragment) {
				this.#anchor.before(this.#offscreen_fragment);
				this.#offscreen_fragment = null;
			}
		}
	}
	update_pending_count(d, batch) {
		this.#update_pending_count(d, batch);
		this.#local_pending_count += d;
		if (!this.#effect_pending || this.#pending_count_update_queued) return;
		this.#pending_count_update_queued = true;
		queue_micro_task(() => {
			this.#pending_count_update_queued = false;
			if (this.#effect_pending) internal_set(this.#effect_pending, this.#local_pending_count);
		});
	}
	get_effect_pending() {
		this.#effect_pending_subscriber();
		return get(this.#effect_pending);
	}
	error(error) {
		if (error === HYDRATION_ERROR) throw error;
		if (!this.#props.onerror && !this.#props.failed) throw error;
		if (current_batch?.is_fork) {
			if (this.#main_effect) current_batch.skip_effect(this.#main_effect);
			if (this.#pending_effect) current_batch.skip_effect(this.#pending_effect);
			if (this.#failed_effect) current_batch.skip_effect(this.#failed_effect);
			current_batch.oncommit(() => {
				if (!this.#is_destroyed()) this.#handle_error(error);
			});
		} else this.#handle_error(error);
	}
	#handle_error(error) {
		if (this.#main_effect) {
			destroy_effect(this.#main_effect);
			this.#main_effect = null;
		}
		if (this.#pending_effect) {
			destroy_effect(this.#pending_effect);
			this.#pending_effect = null;
		}
		if (this.#failed_effect) {
			destroy_effect(this.#failed_effect);
			this.#failed_effect = null;
		}
		if (hydrating) {
			set_hydrate_node(this.#hydrate_open);
			next();
			set_hydrate_node(skip_nodes());
		}
		let failed = this.#props.failed;
		const handle_error_result = (transformed_error) => {
			if (this.#is_destroyed()) return;
			const { reset, invoke_onerror } = this.#create_reset(transformed_error);
			invoke_onerror();
			if (failed && !this.#is_destroyed()) this.#failed_effect = this.#run(() => {
				try {
					return branch(() => {
						var effect = active_effect;
						effect.b = this;
						effect.f |= 128;
						failed(this.#anchor, () => transformed_error, () => reset);
					});
				} catch (error) {
					invoke_error_boundary(error, this.#effect.parent);
					return null;
				}
			});
		};
		queue_micro_task(() => {
			if (this.#is_destroyed()) return;
			var result;
			try {
				result = this.transform_error(error);
			} catch (e) {
				invoke_error_boundary(e, this.#effect && this.#effect.parent);
				return;
			}
			if (result !== null && typeof result === "object" && typeof result.then === "function") result.then(handle_error_result, (e) => invoke_error_boundary(e, this.#effect && this.#effect.parent));
			else handle_error_result(result);
		});
	}
};
function set_text(text, value) {
	var str = value == null ? "" : typeof value === "object" ? `${value}` : value;
	if (str !== (text[TEXT_CACHE] ??= text.nodeValue)) {
		text[TEXT_CACHE] = str;
		text.nodeValue = `${str}`;
	}
}
function mount(component, options) {
	return _mount(component, options);
}
var listeners = new Map();
function _mount(Component, { target, anchor, props = {}, events, context, intro = true, transformError }) {
	init_operations();
	var component = void 0;
	var unmount = component_root(() => {
		var anchor_node = anchor ?? target.appendChild(create_text());
		boundary(anchor_node, { pending: () => {} }, (anchor_node) => {
			push({});
			var ctx = component_context;
			if (context) ctx.c = context;
			if (events) props.$$events = events;
			if (hydrating) assign_nodes(anchor_node, null);
			component = Component(anchor_node, props) || mark_as_component();
			if (hydrating) {
				active_effect.nodes.end = hydrate_node;
				if (hydrate_node === null || hydrate_node.nodeType !== 8 || hydrate_node.data !== "]") {
					hydration_mismatch();
					throw HYDRATION_ERROR;
				}
			}
			pop();
		}, transformError);
		var registered_events = new Set();
		var event_handle = (events) => {
			for (var i = 0; i < events.length; i++) {
				var event_name = events[i];
				if (registered_events.has(event_name)) continue;
				registered_events.add(event_name);
				var passive = is_passive_event(event_name);
				for (const node of [target, document]) {
					var counts = listeners.get(node);
					if (counts === void 0) {
						counts = new Map();
						listeners.set(node, counts);
					}
					var count = counts.get(event_name);
					if (count === void 0) {
						node.addEventListener(event_name, handle_event_propagation, { passive });
						counts.set(event_name, 1);
					} else counts.set(event_name, count + 1);
				}
			}
		};
		event_handle(array_from(all_registered_events));
		root_event_handles.add(event_handle);
		return () => {
			for (var event_name of registered_events) for (const node of [target, document]) {
				var counts = listeners.get(node);
				var count = counts.get(event_name);
				if (--count == 0) {
					node.removeEventListener(event_name, handle_event_propagation);
					counts.delete(event_name);
					if (counts.size === 0) listeners.delete(node);
				} else counts.set(event_name, count);
			}
			root_event_handles.delete(event_handle);
			if (anchor_node !== anchor) anchor_node.parentNode?.removeChild(anchor_node);
		};
	});
	mounted_components.set(component, unmount);
	return component;
}
var mounted_components = new WeakMap();
// node_modules/svelte/src/internal/client/dom/blocks/branches.js
var BranchManager = class {
	anchor;
	#batches = new Map();
	#onscreen = new Map();
	#offscreen = new Map();
	#outroing = new Set();
	#transition = true;
	constructor(anchor, transition = true) {
		this.anchor = anchor;
		this.#transition = transition;
	}
	#commit = (batch) => {
		if (!this.#batches.has(batch)) return;
		var key = this.#batches.get(batch);
		var onscreen = this.#onscreen.get(key);
		if (onscreen) {
			resume_effect(onscreen);
			this.#outroing.delete(key);
		} else {
			var offscreen = this.#offscreen.get(key);
			if (offscreen) {
				resume_effect(offscreen.effect);
				this.#onscreen.set(key, offscreen.effect);
				this.#offscreen.delete(key);
				offscreen.fragment.lastChild.remove();
				this.anchor.before(offscreen.fragment);
				onscreen = offscreen.effect;
			}
		}
		for (const [b, k] of this.#batches) {
			this.#batches.delete(b);
			if (b === batch) break;
			const offscreen = this.#offscreen.get(k);
			if (offscreen) {
				destroy_effect(offscreen.effect);
				this.#offscreen.delete(k);
			}
		}
		for (const [k, effect] of this.#onscreen) {
			if (k === key || this.#outroing.has(k)) continue;
			const on_destroy = () => {
				if (Array.from(this.#batches.values()).includes(k)) {
					var fragment = document.createDocumentFragment();
					move_effect(effect, fragment);
					fragment.append(create_text());
					this.#offscreen.set(k, {
						effect,
						fragment
					});
				} else destroy_effect(effect);
				this.#outroing.delete(k);
				this.#onscreen.delete(k);
			};
			if (this.#transition || !onscreen) {
				this.#outroing.add(k);
				pause_effect(effect, on_destroy, false);
			} else on_destroy();
		}
	};
	#discard = (batch) => {
		this.#batches.delete(batch);
		const keys = Array.from(this.#batches.values());
		for (const [k, branch] of this.#offscreen) if (!keys.includes(k)) {
			destroy_effect(branch.effect);
			this.#offscreen.delete(k);
		}
	};
	ensure(key, fn) {
		var batch = current_batch;
		var defer = should_defer_append();
		if (fn && !this.#onscreen.has(key) && !this.#offscreen.has(key)) {
			if (defer) {
				var fragment = document.createDocumentFragment();
				var target = create_text();
				fragment.append(target);
				this.#offscreen.set(key, {
					effect: branch(() => fn(target)),
					fragment
				});
			} else this.#onscreen.set(key, branch(() => fn(this.anchor)));
		}
		this.#batches.set(batch, key);
		if (defer) {
			for (const [k, effect] of this.#onscreen) if (k === key) batch.unskip_effect(effect);
			else batch.skip_effect(effect);
			for (const [k, branch] of this.#offscreen) if (k === key) batch.unskip_effect(branch.effect);
			else batch.skip_effect(branch.effect);
			batch.oncommit(this.#commit);
			batch.ondiscard(this.#discard);
		} else {
			if (hydrating) this.anchor = hydrate_node;
			this.#commit(batch);
		}
	}
};
// node_modules/svelte/src/internal/client/dom/blocks/await.js
var PENDING = 0;
var THEN = 1;
var CATCH = 2;
function await_block(node, get_input, pending_fn, then_fn, catch_fn) {
	if (hydrating) hydrate_next();
	var runes = is_runes();
	var v = UNINITIALIZED;
	var value = runes ? source(v) : mutable_source(v, false, false);
	var error = runes ? source(v) : mutable_source(v, false, false);
	var branches = new BranchManager(node);
	block(() => {
		var batch = current_batch;
		var input = get_input();
		var destroyed = false;
		let mismatch = hydrating && is_promise(input) === (node.data === "[!");
		if (mismatch) {
			set_hydrate_node(skip_nodes());
			set_hydrating(false);
		}
		if (is_promise(input)) {
			var restore = capture();
			var resolved = false;
			const resolve = (fn) => {
				if (destroyed) return;
				resolved = true;
				restore(false);
				if (current_batch === batch) batch.deactivate();
				Batch.ensure();
				try {
					fn();
				} finally {
					unset_context(false);
					if (!is_flushing_sync) flushSync();
				}
			};
			input.then((v) => {
				resolve(() => {
					internal_set(value, v);
					branches.ensure(THEN, then_fn && ((target) => then_fn(target, value)));
				});
			}, (e) => {
				resolve(() => {
					internal_set(error, e);
					branches.ensure(CATCH, catch_fn && ((target) => catch_fn(target, error)));
					if (!catch_fn) throw error.v;
				});
			});
			if (hydrating) branches.ensure(PENDING, pending_fn);
			else queue_micro_task(() => {
				if (!resolved) resolve(() => {
					branches.ensure(PENDING, pending_fn);
				});
			});
		} else {
			internal_set(value, input);
			branches.ensure(THEN, then_fn && ((target) => then_fn(target, value)));
		}
		if (mismatch) set_hydrating(true);
		return () => {
			destroyed = true;
		};
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/if.js
function if_block(node, fn, elseif = false) {
	var marker;
	if (hydrating) {
		marker = hydrate_node;
		hydrate_next();
	}
	var branches = new BranchManager(node);
	var flags = elseif ? EFFECT_TRANSPARENT : 0;
	function update_branch(key, fn) {
		if (hydrating) {
			var data = read_hydration_instruction(marker);
			if (key !== parseInt(data.substring(1))) {
				var anchor = skip_nodes();
				set_hydrate_node(anchor);
				branches.anchor = anchor;
				set_hydrating(false);
				branches.ensure(key, fn);
				set_hydrating(true);
				return;
			}
		}
		branches.ensure(key, fn);
	}
	block(() => {
		var has_branch = false;
		fn((fn, key = 0) => {
			has_branch = true;
			update_branch(key, fn);
		});
		if (!has_branch) update_branch(-1, null);
	}, flags);
}
// node_modules/svelte/src/internal/client/dom/blocks/key.js
var NAN = Symbol("NaN");
function key(node, get_key, render_fn) {
	if (hydrating) hydrate_next();
	var branches = new BranchManager(node);
	var legacy = !is_runes();
	block(() => {
		var key = get_key();
		if (key !== key) key = NAN;
		if (legacy && key !== null && typeof key === "object") key = {};
		branches.ensure(key, render_fn);
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/each.js
function index(_, i) {
	return i;
}
function pause_effects(state, to_destroy, controlled_anchor) {
	var transitions = [];
	var length = to_destroy.length;
	var group;
	var remaining = to_destroy.length;
	for (var i = 0; i < length; i++) {
		let effect = to_destroy[i];
		pause_effect(effect, () => {
			if (group) {
				group.pending.delete(effect);
				group.done.add(effect);
				if (group.pending.size === 0) {
					var groups = state.outrogroups;
					destroy_effects(state, array_from(group.done));
					groups.delete(group);
					if (groups.size === 0) state.outrogroups = null;
				}
			} else remaining -= 1;
		}, false);
	}
	if (remaining === 0) {
		var fast_path = transitions.length === 0 && controlled_anchor !== null && state.pending.size === 0;
		if (fast_path) {
			var anchor = controlled_anchor;
			var parent_node = anchor.parentNode;
			clear_text_content(parent_node);
			parent_node.append(anchor);
			state.items.clear();
		}
		destroy_effects(state, to_destroy, !fast_path);
	} else {
		group = {
			pending: new Set(to_destroy),
			done: new Set()
		};
		(state.outrogroups ??= new Set()).add(group);
	}
}
function destroy_effects(state, to_destroy, remove_dom = true) {
	var preserved_effects;
	if (state.pending.size > 0) {
		preserved_effects = new Set();
		for (const keys of state.pending.values()) for (const key of keys) preserved_effects.add(state.items.get(key).e);
	}
	for (var i = 0; i < to_destroy.length; i++) {
		var e = to_destroy[i];
		if (preserved_effects?.has(e)) {
			e.f |= EFFECT_OFFSCREEN;
			move_effect(e, document.createDocumentFragment());
		} else destroy_effect(to_destroy[i], remove_dom);
	}
}
var offscreen_anchor;
function each(node, flags, get_collection, get_key, render_fn, fallback_fn = null) {
	var anchor = node;
	var items = new Map();
	if ((flags & 4) !== 0) {
		var parent_node = node;
		anchor = hydrating ? set_hydrate_node(get_first_child(parent_node)) : parent_node.appendChild(create_text());
	}
	if (hydrating) hydrate_next();
	var fallback = null;
	var each_array = derived_safe_equal(() => {
		var collection = get_collection();
		return is_array(collection) ? collection : collection == null ? [] : array_from(collection);
	});
	var pending = new Map();
	var first_run = true;
	function commit(batch) {
		if ((state.effect.f & 16384) !== 0) return;
		state.pending.delete(batch);
		var array = get(each_array);
		state.fallback = fallback;
		reconcile(state, array, anchor, flags, get_key);
		if (fallback !== null) {
			if (array.length === 0) {
				if ((fallback.f & 33554432) === 0) resume_effect(fallback);
				else {
					fallback.f ^= EFFECT_OFFSCREEN;
					move(fallback, null, anchor);
				}
			} else pause_effect(fallback, () => {
				fallback = null;
			});
		}
	}
	function discard(batch) {
		state.pending.delete(batch);
	}
	var state = {
		effect: block(() => {
			var array = get(each_array);
			var length = array.length;
			let mismatch = false;
			if (hydrating) {
				if (read_hydration_instruction(anchor) === "[!" !== (length === 0)) {
					anchor = skip_nodes();
					set_hydrate_node(anchor);
					set_hydrating(false);
					mismatch = true;
				}
			}
			var keys = new Set();
			var batch = current_batch;
			var defer = should_defer_append();
			for (var index = 0; index < length; index += 1) {
				if (hydrating && hydrate_node.nodeType === 8 && hydrate_node.data === "]") {
					anchor = hydrate_node;
					mismatch = true;
					set_hydrating(false);
				}
				var value = array[index];
				var key = get_key(value, index);
				var item = first_run ? null : items.get(key);
				if (item) {
					if (item.v) internal_set(item.v, value);
					if (item.i) internal_set(item.i, index);
					if (defer) batch.unskip_effect(item.e);
				} else {
					item = create_item(items, first_run ? anchor : offscreen_anchor ??= create_text(), value, key, index, render_fn, flags, get_collection);
					if (!first_run) item.e.f |= EFFECT_OFFSCREEN;
					items.set(key, item);
				}
				keys.add(key);
			}
			if (length === 0 && fallback_fn && !fallback) {
				if (first_run) fallback = branch(() => fallback_fn(anchor));
				else {
					fallback = branch(() => fallback_fn(offscreen_anchor ??= create_text()));
					fallback.f |= EFFECT_OFFSCREEN;
				}
			}
			if (length > keys.size) each_key_duplicate("", "", "");
			if (hydrating && length > 0) set_hydrate_node(skip_nodes());
			if (!first_run) {
				pending.set(batch, keys);
				if (defer) {
					for (const [key, item] of items) if (!keys.has(key)) batch.skip_effect(item.e);
					batch.oncommit(commit);
					batch.ondiscard(discard);
				} else commit(batch);
			}
			if (mismatch) set_hydrating(true);
			get(each_array);
		}),
		flags,
		items,
		pending,
		outrogroups: null,
		fallback
	};
	first_run = false;
	if (hydrating) anchor = hydrate_node;
}
function skip_to_branch(effect) {
	while (effect !== null && (effect.f & 32) === 0) effect = effect.next;
	return effect;
}
function reconcile(state, array, anchor, flags, get_key) {
	var is_animated = (flags & 8) !== 0;
	var length = array.length;
	var items = state.items;
	var current = skip_to_branch(state.effect.first);
	var seen;
	var prev = null;
	var to_animate;
	var matched = [];
	var stashed = [];
	var value;
	var key;
	var effect;
	var i;
	if (is_animated) for (i = 0; i < length; i += 1) {
		value = array[i];
		key = get_key(value, i);
		effect = items.get(key).e;
		if ((effect.f & 33554432) === 0) {
			effect.nodes?.a?.measure();
			(to_animate ??= new Set()).add(effect);
		}
	}
	for (i = 0; i < length; i += 1) {
		value = array[i];
		key = get_key(value, i);
		effect = items.get(key).e;
		if (state.outrogroups !== null) for (const group of state.outrogroups) {
			group.pending.delete(effect);
			group.done.delete(effect);
		}
		if ((effect.f & 8192) !== 0) {
			resume_effect(effect);
			if (is_animated) {
				effect.nodes?.a?.unfix();
				(to_animate ??= new Set()).delete(effect);
			}
		}
		if ((effect.f & 33554432) !== 0) {
			effect.f ^= EFFECT_OFFSCREEN;
			if (effect === current) move(effect, null, anchor);
			else {
				var next = prev ? prev.next : current;
				if (effect === state.effect.last) state.effect.last = effect.prev;
				if (effect.prev) effect.prev.next = effect.next;
				if (effect.next) effect.next.prev = effect.prev;
				link(state, prev, effect);
				link(state, effect, next);
				move(effect, next, anchor);
				prev = effect;
				matched = [];
				stashed = [];
				current = skip_to_branch(prev.next);
				continue;
			}
		}
		if (effect !== current) {
			if (seen !== void 0 && seen.has(effect)) {
				if (matched.length < stashed.length) {
					var start = stashed[0];
					var j;
					prev = start.prev;
					var a = matched[0];
					var b = matched[matched.length - 1];
					for (j = 0; j < matched.length; j += 1) move(matched[j], start, anchor);
					for (j = 0; j < stashed.length; j += 1) seen.delete(stashed[j]);
					link(state, a.prev, b.next);
					link(state, prev, a);
					link(state, b, start);
					current = start;
					prev = b;
					i -= 1;
					matched = [];
					stashed = [];
				} else {
					seen.delete(effect);
					move(effect, current, anchor);
					link(state, effect.prev, effect.next);
					link(state, effect, prev === null ? state.effect.first : prev.next);
					link(state, prev, effect);
					prev = effect;
				}
				continue;
			}
			matched = [];
			stashed = [];
			while (current !== null && current !== effect) {
				(seen ??= new Set()).add(current);
				stashed.push(current);
				current = skip_to_branch(current.next);
			}
			if (current === null) continue;
		}
		if ((effect.f & 33554432) === 0) matched.push(effect);
		prev = effect;
		current = skip_to_branch(effect.next);
	}
	if (state.outrogroups !== null) {
		for (const group of state.outrogroups) if (group.pending.size === 0) {
			destroy_effects(state, array_from(group.done));
			state.outrogroups?.delete(group);
		}
		if (state.outrogroups.size === 0) state.outrogroups = null;
	}
	if (current !== null || seen !== void 0) {
		var to_destroy = [];
		if (seen !== void 0) {
			for (effect of seen) if ((effect.f & 8192) === 0) to_destroy.push(effect);
		}
		while (current !== null) {
			if ((current.f & 8192) === 0 && current !== state.fallback) to_destroy.push(current);
			current = skip_to_branch(current.next);
		}
		var destroy_length = to_destroy.length;
		if (destroy_length > 0) {
			var controlled_anchor = (flags & 4) !== 0 && length === 0 ? anchor : null;
			if (is_animated) {
				for (i = 0; i < destroy_length; i += 1) to_destroy[i].nodes?.a?.measure();
				for (i = 0; i < destroy_length; i += 1) to_destroy[i].nodes?.a?.fix();
			}
			pause_effects(state, to_destroy, controlled_anchor);
		}
	}
	if (is_animated) queue_micro_task(() => {
		if (to_animate === void 0) return;
		for (effect of to_animate) effect.nodes?.a?.apply();
	});
}
function create_item(items, anchor, value, key, index, render_fn, flags, get_collection) {
	var v = (flags & 1) !== 0 ? (flags & 16) === 0 ? mutable_source(value, false, false) : source(value) : null;
	var i = (flags & 2) !== 0 ? source(index) : null;
	return {
		v,
		i,
		e: branch(() => {
			render_fn(anchor, v ?? value, i ?? index, get_collection);
			return () => {
				items.delete(key);
			};
		})
	};
}
function move(effect, next, anchor) {
	if (!effect.nodes) return;
	var node = effect.nodes.start;
	var end = effect.nodes.end;
	var dest = next && (next.f & 33554432) === 0 ? next.nodes.start : anchor;
	while (node !== null) {
		var next_node = get_next_sibling(node);
		dest.before(node);
		if (node === end) return;
		node = next_node;
	}
}
function link(state, prev, next) {
	if (prev === null) state.effect.first = next;
	else prev.next = next;
	if (next === null) state.effect.last = prev;
	else next.prev = prev;
}
// node_modules/svelte/src/internal/client/dom/blocks/snippet.js
function snippet(node, get_snippet, ...args) {
	var branches = new BranchManager(node);
	block(() => {
		const snippet = get_snippet() ?? null;
		branches.ensure(snippet, snippet && ((anchor) => snippet(anchor, ...args)));
	}, EFFECT_TRANSPARENT);
}
// node_modules/svelte/src/internal/client/dom/blocks/svelte-component.js
function component(node, get_component, render_fn) {
	var hydration_start_node;
	if (hydrating) {
		hydration_start_node = hydrate_node;
		hydrate_next();
	}
	var branches = new BranchManager(node);
	block(() => {
		var component = get_component() ?? null;
		if (hydrating) {
			if (read_hydration_instruction(hydration_start_node) === "[" !== (component !== null)) {
				var anchor = skip_nodes();
				set_hydrate_node(anchor);
				branches.anchor = anchor;
				set_hydrating(false);
				branches.ensure(component, component && ((target) => render_fn(target, component)));
				set_hydrating(true);
				return;
			}
		}
		branches.ensure(component, component && ((target) => render_fn(target, component)));
	}, EFFECT_TRANSPARENT);
}
// node_modules/clsx/dist/clsx.mjs
function r(e) {
	var t, f, n = "";
	if ("string" == typeof e || "number" == typeof e) n += e;
	else if ("object" == typeof e) if (Array.isArray(e)) {
		var o = e.length;
		for (t = 0; t < o; t++) e[t] && (f = r(e[t])) && (n && (n += " "), n += f);
	} else for (f in e) e[f] && (n && (n += " "), n += f);
	return n;
}
function clsx$1() {
	for (var e, t, f = 0, n = "", o = arguments.length; f < o; f++) (e = arguments[f]) && (t = r(e)) && (n && (n += " "), n += t);
	return n;
}
// node_modules/svelte/src/internal/shared/attributes.js
function clsx(value) {
	if (typeof value === "object") return clsx$1(value);
	else return value ?? "";
}
var whitespace = [..." 	\n\r\f\xA0\v﻿"];
function to_class(value, hash, directives) {
	var classname = value == null ? "" : "" + value;
	if (hash) classname = classname ? classname + " " + hash : hash;
	if (directives) {
		for (var key of Object.keys(directives)) if (directives[key]) classname = classname ? classname + " " + key : key;
		else if (classname.length) {
			var len = key.length;
			var a = 0;
			while ((a = classname.indexOf(key, a)) >= 0) {
				var b = a + len;
				if ((a === 0 || whitespace.includes(classname[a - 1])) && (b === classname.length || whitespace.includes(classname[b]))) classname = (a === 0 ? "" : classname.substring(0, a)) + classname.substring(b + 1);
				else a = b;
			}
		}
	}
	return classname === "" ? null : classname;
}
function append_styles(styles, important = false) {
	var separator = important ? " !important;" : ";";
	var css = "";
	for (var key of Object.keys(styles)) {
		var value = styles[key];
		if (value != null && value !== "") css += " " + key + ": " + value + separator;
	}
	return css;
}
function to_css_name(name) {
	if (name[0] !== "-" || name[1] !== "-") return name.toLowerCase();
	return name;
}
function to_style(value, styles) {
	if (styles) {
		var new_style = "";
		var normal_styles;
		var important_styles;
		if (Array.isArray(styles)) {
			normal_styles = styles[0];
			important_styles = styles[1];
		} else normal_styles = styles;
		if (value) {
			value = String(value).replaceAll(/\/\*.*?\*\//g, "").trim();
			var in_str = false;
			var in_apo = 0;
			var in_comment = false;
			var reserved_names = [];
			if (normal_styles) reserved_names.push(...Object.keys(normal_styles).map(to_css_name));
			if (important_styles) reserved_names.push(...Object.keys(important_styles).map(to_css_name));
			var start_index = 0;
			var name_index = -1;
			const len = value.length;
			for (var i = 0; i < len; i++) {
				var c = value[i];
				if (in_comment) {
					if (c === "/" && value[i - 1] === "*") in_comment = false;
				} else if (in_str) {
					if (in_str === c) in_str = false;
				} else if (c === "/" && value[i + 1] === "*") in_comment = true;
				else if (c === "\"" || c === "'") in_str = c;
				else if (c === "(") in_apo++;
				else if (c === ")") in_apo--;
				if (!in_comment && in_str === false && in_apo === 0) {
					if (c === ":" && name_index === -1) name_index = i;
					else if (c === ";" || i === len - 1) {
						if (name_index !== -1) {
							var name = to_css_name(value.substring(start_index, name_index).trim());
							if (!reserved_names.includes(name)) {
								if (c !== ";") i++;
								var property = value.substring(start_index, i).trim();
								new_style += " " + property + ";";
							}
						}
						start_index = i + 1;
						name_index = -1;
					}
				}
			}
		}
		if (normal_styles) new_style += append_styles(normal_styles);
		if (important_styles) new_style += append_styles(important_styles, true);
		new_style = new_style.trim();
		return new_style === "" ? null : new_style;
	}
	return value == null ? null : String(value);
}
// node_modules/svelte/src/internal/client/dom/elements/class.js
function set_class(dom, is_html, value, hash, prev_classes, next_classes) {
	var prev = dom[CLASS_CACHE];
	if (hydrating || prev !== value || prev === void 0) {
		var next_class_name = to_class(value, hash, next_classes);
		if (!hydrating || next_class_name !== dom.getAttribute("class")) {
			if (next_class_name == null) dom.removeAttribute("class");
			else if (is_html) dom.className = next_class_name;
			else dom.setAttribute("class", next_class_name);
		}
		dom[CLASS_CACHE] = value;
	} else if (next_classes && prev_classes !== next_classes) for (var key in next_classes) {
		var is_present = !!next_classes[key];
		if (prev_classes == null || is_present !== !!prev_classes[key]) dom.classList.toggle(key, is_present);
	}
	return next_classes;
}
// node_modules/svelte/src/internal/client/dom/elements/style.js
function update_styles(dom, prev = {}, next, priority) {
	for (var key in next) {
		var value = next[key];
		if (prev[key] !== value) {
			if (next[key] == null) dom.style.removeProperty(key);
			else dom.style.setProperty(key, value, priority);
		}
	}
}
function set_style(dom, value, prev_styles, next_styles) {
	var prev = dom[STYLE_CACHE];
	if (hydrating || prev !== value) {
		var next_style_attr = to_style(value, next_styles);
		if (!hydrating || next_style_attr !== dom.getAttribute("style")) {
			if (next_style_attr == null) dom.removeAttribute("style");
			else dom.style.cssText = next_style_attr;
		}
		dom[STYLE_CACHE] = value;
	} else if (next_styles) {
		if (Array.isArray(next_styles)) {
			update_styles(dom, prev_styles?.[0], next_styles[0]);
			update_styles(dom, prev_styles?.[1], next_styles[1], "important");
		} else update_styles(dom, prev_styles, next_styles);
	}
	return next_styles;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/select.js
function set_selected(option, selected) {
	if (selected) {
		if (!option.hasAttribute("selected")) option.setAttribute("selected", "");
	} else option.removeAttribute("selected");
}
function apply_default_select_value(select, preserve) {
	var value = select.__defaultValue;
	var multiple = select.multiple;
	var values = multiple ? value ?? [] : null;
	if (multiple && !is_array(values)) return;
	var index = select.selectedIndex;
	var selected = preserve && multiple ? new Set(select.selectedOptions) : null;
	for (var option of select.options) {
		var option_value = get_option_value(option);
		set_selected(option, multiple ? values.includes(option_value) : is(option_value, value));
	}
	if (!preserve) return;
	if (selected !== null) for (option of select.options) {
		var was_selected = selected.has(option);
		if (option.selected !== was_selected) option.selected = was_selected;
	}
	else if (select.selectedIndex !== index) select.selectedIndex = index;
}
function select_option(select, value, mounting = false) {
	if (select.multiple) {
		if (value == void 0) return;
		if (!is_array(value)) return select_multiple_invalid_value();
		for (var option of select.options) option.selected = value.includes(get_option_value(option));
		return;
	}
	for (option of select.options) if (is(get_option_value(option), value)) {
		option.selected = true;
		return;
	}
	if (!mounting || value !== void 0) select.selectedIndex = -1;
}
function init_select(select) {
	var observer = new MutationObserver((entries) => {
		if (entries.every(is_selectedcontent_mutation)) return;
		if ("__defaultValue" in select) apply_default_select_value(select, false);
		if ("__value" in select) select_option(select, select.__value);
	});
	observer.observe(select, {
		childList: true,
		subtree: true,
		attributes: true,
		attributeFilter: ["value"]
	});
	teardown(() => {
		observer.disconnect();
	});
}
function bind_select_value(select, get, set = get) {
	var batches = new WeakSet();
	var mounting = true;
	listen_to_event_and_reset_event(select, "change", (is_reset) => {
		var query = is_reset ? "[selected]" : ":checked";
		var value;
		if (select.multiple) value = [].map.call(select.querySelectorAll(query), get_option_value);
		else {
			var selected_option = select.querySelector(query) ?? select.querySelector("option:not([disabled])");
			value = selected_option && get_option_value(selected_option);
		}
		set(value);
		select.__value = value;
		if (current_batch !== null) batches.add(current_batch);
	});
	effect(() => {
		var value = get();
		if (select === document.activeElement) {
			var batch = async_mode_flag ? previous_batch : current_batch;
			if (batches.has(batch)) return;
		}
		select_option(select, value, mounting);
		if (mounting && value === void 0) {
			var selected_option = select.querySelector(":checked");
			if (selected_option !== null) {
				value = get_option_value(selected_option);
				set(value);
			}
		}
		select.__value = value;
		mounting = false;
	});
}
function get_option_value(option) {
	if ("__value" in option) return option.__value;
	else return option.value;
}
function is_selectedcontent_mutation(entry) {
	if (entry.target.closest("selectedcontent") !== null) return true;
	if (entry.type === "childList") {
		var nodes = [...entry.addedNodes, ...entry.removedNodes];
		return nodes.length > 0 && nodes.every((node) => node.nodeName === "SELECTEDCONTENT");
	}
	return false;
}
// node_modules/svelte/src/internal/client/dom/elements/attributes.js
var IS_CUSTOM_ELEMENT = Symbol("is custom element");
var IS_HTML = Symbol("is html");
var LINK_TAG = IS_XHTML ? "link" : "LINK";
var PROGRESS_TAG = IS_XHTML ? "progress" : "PROGRESS";
function remove_input_defaults(input) {
	if (!hydrating) return;
	var already_removed = false;
	var remove_defaults = () => {
		if (already_removed) return;
		already_removed = true;
		if (input.hasAttribute("value")) {
			var value = input.value;
			set_attribute(input, "value", null);
			input.value = value;
		}
		if (input.hasAttribute("checked")) {
			var checked = input.checked;
			set_attribute(input, "checked", null);
			input.checked = checked;
		}
	};
	input[FORM_RESET_HANDLER] = remove_defaults;
	queue_micro_task(remove_defaults);
	add_form_reset_listener();
}
function set_value(element, value) {
	var attributes = get_attributes(element);
	if (attributes.value === (attributes.value = value ?? void 0) || element.value === value && (value !== 0 || element.nodeName !== PROGRESS_TAG)) return;
	element.value = value ?? "";
}
function set_checked(element, checked) {
	var attributes = get_attributes(element);
	if (attributes.checked === (attributes.checked = checked ?? void 0)) return;
	element.checked = checked;
}
function set_attribute(element, attribute, value, skip_warning) {
	var attributes = get_attributes(element);
	if (hydrating) {
		attributes[attribute] = element.getAttribute(attribute);
		if (attribute === "src" || attribute === "srcset" || attribute === "href" && element.nodeName === LINK_TAG) {
			if (!skip_warning);
			return;
		}
	}
	var previous = attributes[attribute];
	if (previous === (attributes[attribute] = value)) return;
	if (attribute === "loading") element[LOADING_ATTR_SYMBOL] = value;
	if (value == null) element.removeAttribute(attribute);
	else if (typeof value !== "string" && get_setters(element).has(attribute)) element[attribute] = value;
	else if (!(hydrating && (typeof value === "number" || typeof value === "boolean") && previous === String(value))) element.setAttribute(attribute, value);
}
function get_attributes(element) {
	return element[ATTRIBUTES_CACHE] ??= {
		[IS_CUSTOM_ELEMENT]: element.nodeName.includes("-"),
		[IS_HTML]: element.namespaceURI === NAMESPACE_HTML
	};
}
var setters_cache = new Map();
function get_setters(element) {
	var cache_key = element.getAttribute("is") || element.nodeName;
	var setters = setters_cache.get(cache_key);
	if (setters) return setters;
	setters_cache.set(cache_key, setters = new Set());
	var descriptors;
	var proto = element;
	var element_proto = Element.prototype;
	while (element_proto !== proto) {
		descriptors = get_descriptors(proto);
		for (var key in descriptors) if (descriptors[key].set && key !== "innerHTML" && key !== "textContent" && key !== "innerText") setters.add(key);
		proto = get_prototype_of(proto);
	}
	return setters;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/input.js
function bind_value(input, get, set = get) {
	var batches = new WeakSet();
	listen_to_event_and_reset_event(input, "input", async (is_reset) => {
		var value = is_reset ? input.defaultValue : input.value;
		value = is_numberlike_input(input) ? to_number(value) : value;
		set(value);
		if (current_batch !== null) batches.add(current_batch);
		await tick();
		if (value !== (value = get())) {
			var start = input.selectionStart;
			var end = input.selectionEnd;
			var length = input.value.length;
			input.value = value ?? "";
			if (end !== null) {
				var new_length = input.value.length;
				if (start === end && end === length && new_length > length) {
					input.selectionStart = new_length;
					input.selectionEnd = new_length;
				} else {
					input.selectionStart = start;
					input.selectionEnd = Math.min(end, new_length);
				}
			}
		}
	});
	if (hydrating && input.defaultValue !== input.value || untrack(get) == null && input.value) {
		set(is_numberlike_input(input) ? to_number(input.value) : input.value);
		if (current_batch !== null) batches.add(current_batch);
	}
	render_effect(() => {
		var value = get();
		if (input === document.activeElement) {
			var batch = async_mode_flag ? previous_batch : current_batch;
			if (batches.has(batch)) return;
		}
		if (is_numberlike_input(input) && value === to_number(input.value)) return;
		if (input.type === "date" && !value && !input.value) return;
		if (value !== input.value) input.value = value ?? "";
	});
}
function bind_checked(input, get, set = get) {
	listen_to_event_and_reset_event(input, "change", (is_reset) => {
		set(is_reset ? input.defaultChecked : input.checked);
	});
	if (hydrating && input.defaultChecked !== input.checked || untrack(get) == null) set(input.checked);
	render_effect(() => {
		var value = get();
		input.checked = Boolean(value);
	});
}
function is_numberlike_input(input) {
	var type = input.type;
	return type === "number" || type === "range";
}
function to_number(value) {
	return value === "" ? null : +value;
}
var resize_observer_border_box = new class ResizeObserverSingleton {
	#listeners = new WeakMap();
	#observer;
	#options;
	static entries = new WeakMap();
	constructor(options) {
		this.#options = options;
	}
	observe(element, listener) {
		var listeners = this.#listeners.get(element) || new Set();
		listeners.add(listener);
		this.#listeners.set(element, listeners);
		this.#getObserver().observe(element, this.#options);
		return () => {
			var listeners = this.#listeners.get(element);
			listeners.delete(listener);
			if (listeners.size === 0) {
				this.#listeners.delete(element);
				this.#observer.unobserve(element);
			}
		};
	}
	#getObserver() {
		return this.#observer ?? (this.#observer = new ResizeObserver((entries) => {
			for (var entry of entries) {
				ResizeObserverSingleton.entries.set(entry.target, entry);
				for (var listener of this.#listeners.get(entry.target) || []) listener(entry);
			}
		}));
	}
}({ box: "border-box" });
function bind_element_size(element, type, set) {
	var unsub = resize_observer_border_box.observe(element, () => set(element[type]));
	effect(() => {
		untrack(() => set(element[type]));
		return unsub;
	});
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/this.js
function is_bound_this(bound_value, element_or_component) {
	return bound_value === element_or_component || bound_value?.[STATE_SYMBOL] === element_or_component;
}
function bind_this(element_or_component = mark_as_component(), update, get_value, get_parts) {
	var component_effect = component_context.r;
	var parent = active_effect;
	effect(() => {
		var old_parts;
		var parts;
		render_effect(() => {
			old_parts = parts;
			parts = get_parts?.() || [];
			untrack(() => {
				if (!is_bound_this(get_value(...parts), element_or_component)) {
					update(element_or_component, ...parts);
					if (old_parts && is_bound_this(get_value(...old_parts), element_or_component)) update(null, ...old_parts);
				}
			});
		});
		return () => {
			let p = parent;
			while (p !== component_effect && p.parent !== null && p.parent.f & 33554432) p = p.parent;
			const teardown = () => {
				if (parts && is_bound_this(get_value(...parts), element_or_component)) update(null, ...parts);
			};
			const original_teardown = p.teardown;
			p.teardown = () => {
				teardown();
				original_teardown?.();
			};
		};
	});
	return element_or_component;
}
// node_modules/svelte/src/internal/client/dom/legacy/lifecycle.js
function init(immutable = false) {
	const context = component_context;
	const callbacks = context.l.u;
	if (!callbacks) return;
	let props = () => deep_read_state(context.s);
	if (immutable) {
		let version = 0;
		let prev = {};
		const d = derived(() => {
			let changed = false;
			const props = context.s;
			for (const key in props) if (props[key] !== prev[key]) {
				prev[key] = props[key];
				changed = true;
			}
			if (changed) version++;
			return version;
		});
		props = () => get(d);
	}
	if (callbacks.b.length) user_pre_effect(() => {
		observe_all(context, props);
		run_all(callbacks.b);
	});
	user_effect(() => {
		const fns = untrack(() => callbacks.m.map(run$1));
		return () => {
			for (const fn of fns) if (typeof fn === "function") fn();
		};
	});
	if (callbacks.a.length) user_effect(() => {
		observe_all(context, props);
		run_all(callbacks.a);
	});
}
function observe_all(context, props) {
	if (context.l.s) for (const signal of context.l.s) get(signal);
	props();
}
// node_modules/svelte/src/internal/client/reactivity/store.js
var is_store_binding = false;
function capture_store_binding(fn) {
	var previous_is_store_binding = is_store_binding;
	try {
		is_store_binding = false;
		return [fn(), is_store_binding];
	} finally {
		is_store_binding = previous_is_store_binding;
	}
}
// node_modules/svelte/src/internal/client/reactivity/props.js
function prop(props, key, flags, fallback) {
	var runes = !legacy_mode_flag || (flags & 2) !== 0;
	var bindable = (flags & 8) !== 0;
	var lazy = (flags & 16) !== 0;
	var fallback_value = fallback;
	var fallback_dirty = true;
	var fallback_signal = void 0;
	var get_fallback = () => {
		if (lazy && runes) {
			fallback_signal ??= derived(fallback);
			return get(fallback_signal);
		}
		if (fallback_dirty) {
			fallback_dirty = false;
			fallback_value = lazy ? untrack(fallback) : fallback;
		}
		return fallback_value;
	};
	let setter;
	if (bindable) {
		var is_entry_props = STATE_SYMBOL in props || LEGACY_PROPS in props;
		setter = get_descriptor(props, key)?.set ?? (is_entry_props && key in props ? (v) => props[key] = v : void 0);
	}
	var initial_value;
	var is_store_sub = false;
	if (bindable) [initial_value, is_store_sub] = capture_store_binding(() => props[key]);
	else initial_value = props[key];
	if (initial_value === void 0 && fallback !== void 0) {
		initial_value = get_fallback();
		if (setter) {
			if (runes) props_invalid_value(key);
			setter(initial_value);
		}
	}
	var getter;
	if (runes) getter = () => {
		var value = props[key];
		if (value === void 0) return get_fallback();
		fallback_dirty = true;
		return value;
	};
	else getter = () => {
		var value = props[key];
		if (value !== void 0) fallback_value = void 0;
		return value === void 0 ? fallback_value : value;
	};
	if (runes && (flags & 4) === 0) return getter;
	if (setter) {
		var legacy_parent = props.$$legacy;
		return (function(value, mutation) {
			if (arguments.length > 0) {
				if (!runes || !mutation || legacy_parent || is_store_sub) setter(mutation ? getter() : value);
				return value;
			}
			return getter();
		});
	}
	var overridden = false;
	var d = ((flags & 1) !== 0 ? derived : derived_safe_equal)(() => {
		overridden = false;
		return getter();
	});
	if (bindable) get(d);
	var parent_effect = active_effect;
	return (function(value, mutation) {
		if (arguments.length > 0) {
			const new_value = mutation ? get(d) : runes && bindable ? proxy(value) : value;
			set(d, new_value);
			overridden = true;
			if (fallback_value !== void 0) fallback_value = new_value;
			return value;
		}
		if (is_destroying_effect && overridden || (parent_effect.f & 16384) !== 0) return d.v;
		return get(d);
	});
}
if (typeof HTMLElement === "function");
function onMount(fn) {
	if (component_context === null) lifecycle_outside_component("onMount");
	if (legacy_mode_flag && component_context.l !== null) init_update_callbacks(component_context).m.push(fn);
	else user_effect(() => {
		const cleanup = untrack(fn);
		if (typeof cleanup === "function") return cleanup;
	});
}
function onDestroy(fn) {
	if (component_context === null) lifecycle_outside_component("onDestroy");
	onMount(() => () => untrack(fn));
}
function init_update_callbacks(context) {
	var l = context.l;
	return l.u ??= {
		a: [],
		b: [],
		m: []
	};
}
// node_modules/svelte/src/internal/disclose-version.js
if (typeof window !== "undefined") ((window.__svelte ??= {}).v ??= new Set()).add("5");
// src/link/protocol.ts
var WINDOWS = [
	"1s",
	"10s",
	"60s",
	"run"
];
// src/link/door.ts
var prefixOf = (path) => /^\/hosts\/[\w.-]+(?=\/)/.exec(path)?.[0] ?? "";
var hostOf = (path) => prefixOf(path).slice(7);
var isOfDoor = (path) => /^\/api\/v1\/(session|hosts)$/.test(path);
var addressOf = (path, place) => isOfDoor(path) ? path : prefixOf(place) + path;
var atHost = (path) => addressOf(path, location.pathname);
var base = () => location.origin + prefixOf(location.pathname);
var DTYPES = [
	"i8",
	"u8",
	"i16",
	"u16",
	"i32",
	"u32",
	"i64",
	"u64",
	"f32",
	"f64"
];
var ARRAYS = {
	i8: Int8Array,
	u8: Uint8Array,
	i16: Int16Array,
	u16: Uint16Array,
	i32: Int32Array,
	u32: Uint32Array,
	i64: BigInt64Array,
	u64: BigUint64Array,
	f32: Float32Array,
	f64: Float64Array
};
var bytesOf = (dtype) => ARRAYS[dtype].BYTES_PER_ELEMENT;
var REDUCES = [
	"none",
	"max",
	"mean",
	"pick"
];
function readHeader(message) {
	if (message.byteLength < 64) throw new Error(`wanted a header of 64 bytes, found ${message.byteLength}`);
	const view = new DataView(message);
	const u32 = (at) => view.getUint32(at, true);
	const is = (what, ok, found) => {
		if (!ok) throw new Error(`a picture's header: unknown ${what} ${found}`);
	};
	const [version, kind, colours, dtype, encoding, reduce] = new Uint8Array(message, 0, 6);
	const [v = 0, k = 0, c = 0, d = 0, e = 0, r = 0] = [
		version,
		kind,
		colours,
		dtype,
		encoding,
		reduce
	];
	is("version", v === 1, v);
	is("kind", k === 1 || k === 2, k);
	is("element type", d < DTYPES.length, d);
	is("encoding", e === 0, e);
	is("reduction", r < REDUCES.length, r);
	const flags = view.getUint16(6, true);
	const header = {
		kind: k === 1 ? "picture" : "table",
		colours: c,
		dtype: DTYPES[d],
		reduce: REDUCES[r],
		damaged: (flags & 1) !== 0,
		last: (flags & 2) !== 0,
		cut: (flags & 4) !== 0,
		held: (flags & 8) !== 0,
		scaled: (flags & 16) !== 0,
		sequence: view.getBigUint64(8, true),
		timeNs: view.getBigInt64(16, true),
		width: u32(24),
		height: u32(28),
		x: u32(32),
		y: u32(36),
		binX: view.getUint16(40, true) || 1,
		binY: view.getUint16(42, true) || 1,
		fullWidth: u32(44),
		fullHeight: u32(48),
		leftOut: u32(52),
		ageUs: u32(56),
		bytes: u32(60)
	};
	if (message.byteLength < 64 + header.bytes) throw new Error(`wanted a payload of ${header.bytes} bytes, found ${message.byteLength - 64}`);
	return header;
}
function readPicture(message, place = null) {
	const header = readHeader(message);
	if (header.kind !== "picture") throw new Error("wanted a picture, found a table");
	if (header.colours !== 1 && header.colours !== 3) throw new Error(`wanted 1 or 3 colours, found ${header.colours}`);
	const wanted = header.width * header.height * header.colours;
	if (wanted * bytesOf(header.dtype) !== header.bytes) throw new Error(`wanted ${header.width} x ${header.height} ${header.dtype}, found ${header.bytes} bytes`);
	return {
		header,
		pixels: new ARRAYS[header.dtype](message, 64, wanted),
		place
	};
}
function readTable(message) {
	const header = readHeader(message);
	if (header.kind !== "table") throw new Error("wanted a table, found a picture");
	const payload = new DataView(message, 64, header.bytes);
	const columns = new Map();
	let at = 2;
	const need = (bytes) => {
		if (at + bytes > header.bytes) throw new Error(`a table of ${header.bytes} bytes ends within its names`);
	};
	if (header.bytes < 2) throw new Error("wanted the number of columns, found an empty table");
	for (let left = payload.getUint16(0, true); left > 0; left--) {
		need(1);
		const length = payload.getUint8(at);
		need(length + 6);
		const name = new TextDecoder().decode(new Uint8Array(message, 64 + at + 1, length));
		const dtype = DTYPES[payload.getUint8(at + 1 + length)];
		const offset = payload.getUint32(at + 2 + length, true);
		if (!dtype) throw new Error(`column \`${name}\`: unknown element type`);
		if (offset + header.height * bytesOf(dtype) > header.bytes || offset % 8 !== 0) throw new Error(`column \`${name}\` lies outside of its table`);
		columns.set(name, new ARRAYS[dtype](message, 64 + offset, header.height));
		at += length + 6;
	}
	return {
		header,
		columns
	};
}
function readHistory(message) {
	if (message.byteLength < 16) throw new Error(`wanted a history's header of 16 bytes, found ${message.byteLength}`);
	const view = new DataView(message);
	const [version, n, rows, step] = [
		0,
		4,
		8,
		12
	].map((at) => view.getUint32(at, true));
	if (version !== 1) throw new Error(`unknown version ${version} of history`);
	const wanted = 16 + rows * 8 + n * rows * 4;
	if (message.byteLength !== wanted) throw new Error(`wanted ${wanted} bytes of history, found ${message.byteLength}`);
	const series = Array.from({ length: n }, (_, i) => new Float32Array(message, 16 + rows * 8 + i * rows * 4, rows));
	return {
		step: step === 0 ? "fine" : "coarse",
		times: new Float64Array(message, 16, rows),
		series
	};
}
// src/link/rest.ts
var ApiError = class extends Error {
	status;
	param;
	values;
	constructor(status, message, param, values) {
		super(message);
		this.status = status;
		this.param = param;
		this.values = values;
	}
};
var LIMIT_MS = 15e3;
async function request(method, path, body) {
	const init = {
		method,
		credentials: "same-origin",
		signal: AbortSignal.timeout(LIMIT_MS)
	};
	if (method !== "GET") {
		init.headers = { "Content-Type": "application/json" };
		init.body = JSON.stringify(body ?? {});
	}
	const answer = await fetch(atHost(path), init).catch((e) => {
		throw new ApiError(0, e instanceof DOMException ? "the server did not answer in time" : "the server cannot be reached");
	});
	if (answer.ok) return answer;
	throw await problem(answer);
}
async function problem(answer) {
	try {
		const { error } = await answer.json();
		return new ApiError(answer.status, error.message, error.param, error.values);
	} catch {
		return new ApiError(answer.status, `the server answered ${answer.status} ${answer.statusText}`);
	}
}
var json = async (method, path, body) => await (await request(method, path, body)).json();
var node = (name) => `/api/v1/nodes/${encodeURIComponent(name)}`;
var describe = () => json("GET", "/api/v1/describe");
var nodes = () => json("GET", "/api/v1/nodes");
var hosts = () => json("GET", "/api/v1/hosts");
var report = () => json("GET", "/api/v1/report");
var openSession = (token, user) => json("POST", "/api/v1/session", {
	token,
	user
});
var session = () => json("GET", "/api/v1/session");
var nameSession = (user) => json("PATCH", "/api/v1/session", { user });
var takeControl = (take) => json("POST", "/api/v1/control", { take });
var setParams = (name, set, onlyIf) => json("PATCH", node(name), onlyIf ? {
	set,
	if: onlyIf
} : { set });
var command = (name, what) => json("POST", `${node(name)}/${what}`, what === "acquire" ? { wait: false } : {});
var setInput = (name, change) => json("PATCH", `${node(name)}/input`, change);
var endRun = (how, run) => json("POST", `/api/v1/run/${how}`, { run });
var acknowledge = (unintended) => json("POST", "/api/v1/losses/acknowledge", { unintended });
var settings = () => json("GET", "/api/v1/settings");
var changeSettings = (how) => json("POST", `/api/v1/settings/${how}`);
var pipeline = () => json("GET", "/api/v1/pipeline");
var recordsAt = (from, number = "") => `/api/v1/records${number}?${new URLSearchParams({ from })}`;
var records = (from) => json("GET", recordsAt(from));
var record = (from, number) => json("GET", recordsAt(from, `/${number}`));
var seriesNames = () => json("GET", "/api/v1/history");
async function history$1(of, step, sinceMs) {
	const query = new URLSearchParams({
		of: of.join(","),
		step
	});
	if (sinceMs > 0) query.set("since_ms", String(sinceMs));
	const answer = await request("GET", `/api/v1/history?${query}`);
	return {
		...readHistory(await answer.arrayBuffer()),
		unknown: answer.headers.get("livetime-unknown") ?? ""
	};
}
// src/link/socket.ts
var SILENCE_MS = 6e3;
var FIRST_WAIT_MS = 250;
var LONGEST_WAIT_MS = 3e3;
var StateSocket = class {
	url;
	listener;
	socket = null;
	wait = FIRST_WAIT_MS;
	timer;
	watched = [];
	pace = 4;
	ended = false;
	constructor(url, listener) {
		this.url = url;
		this.listener = listener;
	}
	open() {
		if (this.ended) return;
		this.listener.state("connecting", "");
		const socket = new WebSocket(this.url);
		this.socket = socket;
		this.expect(socket);
		socket.onopen = () => {
			this.wait = FIRST_WAIT_MS;
			this.send({
				kind: "pace",
				hz: this.pace
			});
			this.send({
				kind: "watch",
				nodes: this.watched
			});
		};
		socket.onmessage = (event) => this.take(socket, event);
		socket.onclose = (event) => this.lost(socket, event.reason);
	}
	watch(nodes) {
		this.watched = nodes;
		this.send({
			kind: "watch",
			nodes
		});
	}
	setPace(hz) {
		this.pace = hz;
		this.send({
			kind: "pace",
			hz
		});
	}
	hurry() {
		if (this.socket || this.ended) return;
		clearTimeout(this.timer);
		this.open();
	}
	close() {
		this.ended = true;
		clearTimeout(this.timer);
		this.socket?.close();
	}
	take(socket, event) {
		if (socket !== this.socket) return;
		this.expect(socket);
		const message = JSON.parse(event.data);
		if (message.kind === "hello") this.listener.state("open", "");
		this.listener.message(message);
		if (message.kind === "moment") this.send({
			kind: "seen",
			version: message.version
		});
	}
	expect(socket) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.lost(socket, "the server is silent"), SILENCE_MS);
	}
	lost(socket, reason) {
		if (socket !== this.socket) return;
		this.socket = null;
		clearTimeout(this.timer);
		socket.onclose = null;
		socket.close();
		if (this.ended) return;
		this.listener.state("gone", reason);
		this.timer = setTimeout(() => this.open(), this.wait);
		this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
	}
	send(message) {
		if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
	}
};
// src/model/reach.ts
function whyNothingComes(told, own) {
	if (told?.toLowerCase() !== own.toLowerCase()) return `This page was asked for at ${own}, but a proxy told the server ${told ?? "no name"}: it has to hand on \`Host\` as it came.`;
	return "The server answers, but its live values do not come: a proxy has to pass on `Upgrade` and `Connection`.";
}
// src/model/run.svelte.ts
var NOBODY = {
	holder: null,
	watching: 0
};
var STRANGER = {
	read: true,
	write: false,
	user: "",
	in_control: false
};
var RunModel = class {
	#link = state("connecting");
	get link() {
		return get(this.#link);
	}
	set link(value) {
		set(this.#link, value);
	}
	#linkReason = state("");
	get linkReason() {
		return get(this.#linkReason);
	}
	set linkReason(value) {
		set(this.#linkReason, value);
	}
	#heard = state(false);
	get heard() {
		return get(this.#heard);
	}
	set heard(value) {
		set(this.#heard, value);
	}
	#goneSince = state(0);
	get goneSince() {
		return get(this.#goneSince);
	}
	set goneSince(value) {
		set(this.#goneSince, value);
	}
	#described = state(null);
	get described() {
		return get(this.#described);
	}
	set described(value) {
		set(this.#described, value);
	}
	#graph = state({
		graph: 0,
		edges: []
	});
	get graph() {
		return get(this.#graph);
	}
	set graph(value) {
		set(this.#graph, value);
	}
	#moment = state(null);
	get moment() {
		return get(this.#moment);
	}
	set moment(value) {
		set(this.#moment, value);
	}
	#times = state(null);
	get times() {
		return get(this.#times);
	}
	set times(value) {
		set(this.#times, value);
	}
	#control = state(NOBODY);
	get control() {
		return get(this.#control);
	}
	set control(value) {
		set(this.#control, value);
	}
	#rights = state(STRANGER);
	get rights() {
		return get(this.#rights);
	}
	set rights(value) {
		set(this.#rights, value);
	}
	#log = state([]);
	get log() {
		return get(this.#log);
	}
	set log(value) {
		set(this.#log, value);
	}
	#logLeftOut = state(0);
	get logLeftOut() {
		return get(this.#logLeftOut);
	}
	set logLeftOut(value) {
		set(this.#logLeftOut, value);
	}
	#values = state({});
	get values() {
		return get(this.#values);
	}
	set values(value) {
		set(this.#values, value);
	}
	#nodesNow = state({});
	get nodesNow() {
		return get(this.#nodesNow);
	}
	set nodesNow(value) {
		set(this.#nodesNow, value);
	}
	#ended = state(null);
	get ended() {
		return get(this.#ended);
	}
	set ended(value) {
		set(this.#ended, value);
	}
	#problem = state("");
	get problem() {
		return get(this.#problem);
	}
	set problem(value) {
		set(this.#problem, value);
	}
	#behindMs = state(0);
	get behindMs() {
		return get(this.#behindMs);
	}
	set behindMs(value) {
		set(this.#behindMs, value);
	}
	whenDescribed = () => {};
	socket = null;
	smallestDistance = Infinity;
	watchers = new Map();
	watching = [];
	describing = null;
	#byName = user_derived(() => new Map((this.described?.nodes ?? []).map((node, i) => [node.name, i])));
	get byName() {
		return get(this.#byName);
	}
	set byName(value) {
		set(this.#byName, value);
	}
	#mayWrite = user_derived(() => this.rights.write && this.link === "open");
	get mayWrite() {
		return get(this.#mayWrite);
	}
	set mayWrite(value) {
		set(this.#mayWrite, value);
	}
	start() {
		const url = new URL("api/v1/state", location.href);
		url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
		url.hash = "";
		const state = (link, reason) => this.follow(link, reason);
		this.socket = new StateSocket(url.href, {
			message: (message) => this.take(message),
			state
		});
		this.socket.watch(this.watching);
		this.socket.setPace(document.hidden ? 1 : 4);
		this.socket.open();
		const seen = () => {
			this.socket?.setPace(document.hidden ? 1 : 4);
			if (!document.hidden) this.socket?.hurry();
		};
		document.addEventListener("visibilitychange", seen);
		addEventListener("online", () => this.socket?.hurry());
	}
	get run() {
		return this.described?.run ?? null;
	}
	get nodes() {
		return this.described?.nodes ?? [];
	}
	node(name) {
		return this.nodes[this.byName.get(name) ?? -1];
	}
	typeOf(name) {
		return this.described?.types[this.node(name)?.type ?? ""];
	}
	spec(name, param) {
		return this.typeOf(name)?.params.find((spec) => spec.name === param);
	}
	value(name, param) {
		return this.values[name]?.[param];
	}
	inFile(name, param) {
		const node = this.node(name);
		return node?.file?.[param] ?? node?.initial[param];
	}
	inputOf(name) {
		return this.edgeTo(name)?.from;
	}
	edgeTo(name) {
		const number = this.byName.get(name);
		return this.graph.edges.find((edge) => edge.nodes[1] === number && edge.open);
	}
	edgesTo(name) {
		const number = this.byName.get(name);
		return this.graph.edges.filter((edge) => edge.nodes[1] === number && edge.open);
	}
	watch(names) {
		const key = Symbol();
		this.watchers.set(key, names);
		this.tellWatched();
		return () => {
			this.watchers.delete(key);
			this.tellWatched();
		};
	}
	tellWatched() {
		const names = [...new Set([...this.watchers.values()].flat())].sort();
		if (names.join("\n") === this.watching.join("\n")) return;
		this.watching = names;
		this.socket?.watch(names);
	}
	learn(node) {
		this.values = {
			...this.values,
			[node.name]: {
				...this.values[node.name],
				...node.values
			}
		};
		this.nodesNow = {
			...this.nodesNow,
			[node.name]: node
		};
	}
	async learnAll() {
		const { nodes: nodes$1 } = await nodes();
		this.values = Object.fromEntries(nodes$1.map((node) => [node.name, {
			...this.values[node.name],
			...node.values
		}]));
		this.nodesNow = Object.fromEntries(nodes$1.map((node) => [node.name, node]));
	}
	describe() {
		return this.describing ??= this.ask().finally(() => this.describing = null);
	}
	async ask() {
		try {
			this.described = await describe();
			this.graph = this.described.graph;
			this.problem = "";
			this.whenDescribed();
		} catch (problem) {
			this.problem = problem.message;
		}
	}
	follow(link, reason) {
		if (link === "gone" && this.moment !== null && this.moment.state !== "running") return this.finish();
		if (link === "gone" && this.link !== "gone" && this.goneSince === 0) this.goneSince = Date.now();
		if (link === "open") [this.goneSince, this.heard] = [0, true];
		if (link === "gone" && !this.heard) this.explain();
		if (link !== "connecting" || this.goneSince === 0) this.link = link;
		if (reason) this.linkReason = reason;
	}
	finish() {
		this.link = "ended";
		this.socket?.close();
	}
	async explain() {
		try {
			if (hostOf(location.pathname)) {
				await this.describe();
				if (this.problem || this.heard) return;
			}
			const { host } = await session();
			if (!this.heard) this.problem = whyNothingComes(host, location.host);
		} catch (problem) {
			this.problem = problem.message;
		}
	}
	take(message) {
		switch (message.kind) {
			case "hello": return this.greet(message.run, message.rights);
			case "graph":
				this.graph = message;
				return;
			case "control":
				this.control = message;
				return;
			case "moment":
				this.moment = message;
				return this.measure(message.at_ns / 1e6);
			case "times":
				this.times = message;
				return;
			case "values": return this.merge(message.nodes);
			case "log": return this.append(message.entries, message.left_out);
			case "end":
				this.ended = message.report;
				this.finish();
		}
	}
	greet(run, rights) {
		this.rights = rights;
		this.ended = null;
		this.log = [];
		this.smallestDistance = Infinity;
		if (run.id !== this.run?.id) {
			[this.values, this.nodesNow, this.moment, this.times] = [
				{},
				{},
				null,
				null
			];
			this.learnRun(run.id);
		}
	}
	async learnRun(id) {
		await this.describe();
		if (this.run?.id !== id) await this.describe();
	}
	merge(nodes) {
		const values = { ...this.values };
		for (const [name, changed] of Object.entries(nodes)) values[name] = {
			...values[name],
			...changed
		};
		this.values = values;
	}
	append(entries, leftOut) {
		const last = this.log.at(-1)?.number ?? -1;
		this.log = [...this.log, ...entries.filter((entry) => entry.number > last)].slice(-500);
		this.logLeftOut += leftOut;
	}
	measure(atMs) {
		const distance = Date.now() - atMs;
		this.smallestDistance = Math.min(this.smallestDistance, distance);
		this.behindMs = Math.max(0, distance - this.smallestDistance);
	}
};
var run = new RunModel();
// src/model/units.ts
var THIN = " ";
var MINUS = "−";
function count(n) {
	if (n === null || n === void 0 || typeof n === "number" && !Number.isFinite(n)) return "–";
	const text = typeof n === "bigint" ? n.toString() : Math.round(n).toString();
	const [sign, digits] = text.startsWith("-") ? [MINUS, text.slice(1)] : ["", text];
	return sign + digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}
function short(x, digits = 4) {
	if (x === null || x === void 0 || !Number.isFinite(x)) return "–";
	if (x === 0) return "0";
	const size = Math.floor(Math.log10(Math.abs(x)));
	if (size >= 15 || size < -6) return x.toExponential(digits - 1).replace("-", MINUS);
	const decimals = Math.max(0, Math.min(digits - 1 - size, 9));
	const [whole = "", part] = Math.abs(x).toFixed(decimals).split(".");
	const trimmed = part?.replace(/0+$/, "");
	return (x < 0 ? MINUS : "") + whole.replace(/\B(?=(\d{3})+$)/g, THIN) + (trimmed ? `.${trimmed}` : "");
}
function rate(hz) {
	if (hz === null || hz === void 0 || !Number.isFinite(hz)) return "–";
	return hz < 999.95 ? hz.toFixed(1) : count(hz);
}
var brief = (name) => name.length > 16 ? `${name.slice(0, 5)}…${name.slice(-8)}` : name;
function span(ns) {
	if (ns === null || ns === void 0 || !Number.isFinite(ns)) return "–";
	if (ns === 0) return "0";
	if (ns < 995) return `${Math.round(ns)} ns`;
	if (ns < 99500) return `${fixed(ns / 1e3)} µs`;
	if (ns < 995e6) return `${fixed(ns / 1e6)} ms`;
	return ns < 12e10 ? `${fixed(ns / 1e9)} s` : `${Math.round(ns / 6e10)} min`;
}
function fixed(x) {
	return x < 9.995 ? x.toFixed(2) : x < 99.95 ? x.toFixed(1) : x.toFixed(0);
}
var BINARY = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB",
	"PiB"
];
function bytes(n) {
	if (n === null || n === void 0 || !Number.isFinite(n)) return "–";
	let [value, unit] = [n, 0];
	while (value >= 1023.5 && unit < BINARY.length - 1) [value, unit] = [value / 1024, unit + 1];
	return `${unit === 0 || value >= 99.5 ? Math.round(value) : short(value, 3)} ${BINARY[unit]}`;
}
function flow(perSecond) {
	if (perSecond === null || perSecond === void 0 || !Number.isFinite(perSecond)) return "–";
	const units = [
		"B/s",
		"kB/s",
		"MB/s",
		"GB/s",
		"TB/s"
	];
	let [value, unit] = [perSecond, 0];
	while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1e3, unit + 1];
	return `${value >= 99.5 || unit === 0 ? Math.round(value) : short(value, 3)} ${units[unit]}`;
}
function clock(ns) {
	const seconds = Math.max(0, Math.floor(ns / 1e9));
	const two = (n) => n.toString().padStart(2, "0");
	const days = Math.floor(seconds / 86400);
	const text = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
	return days > 0 ? `${days} d ${text}` : text;
}
function timeOfDay(ms) {
	const at = new Date(ms);
	const two = (n) => n.toString().padStart(2, "0");
	return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
function ago(ms) {
	const seconds = Math.max(0, ms / 1e3);
	if (seconds < 1.5) return "just now";
	if (seconds < 90) return `${Math.round(seconds)} s ago`;
	if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
	return `${Math.round(seconds / 3600)} h ago`;
}
function share(part, decimals = 2) {
	if (!Number.isFinite(part)) return "–";
	if (part >= 1) return "100 %";
	for (let n = decimals; n <= 4; n++) if (Math.floor(part * 10 ** (n + 2)) / 10 ** n < 100 - 10 ** -n / 2 && (part * 100).toFixed(n) !== 100 .toFixed(n)) return `${(part * 100).toFixed(n)} %`;
	return "99.9999 %";
}
// src/model/address.ts
var SCREENS = [
	"live",
	"graph",
	"plots",
	"settings",
	"ledger",
	"runs",
	"trigger"
];
function readAddress(hash) {
	const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
	return {
		screen: SCREENS.find((name) => name === path) ?? "live",
		query: Object.fromEntries(new URLSearchParams(query))
	};
}
var namesScreen = (hash) => /^#\/\w/.test(hash);
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
	begin(screen) {
		if (!namesScreen(location.hash)) this.now = {
			...this.now,
			screen
		};
	}
	reload() {
		this.now = readAddress(location.hash);
	}
};
var place = new Address();
// src/model/session.ts
var NAME$1 = "livetime.user";
var userName = () => localStorage.getItem(NAME$1) ?? "";
function setUserName(name) {
	localStorage.setItem(NAME$1, name.slice(0, 64));
}
async function enter() {
	addEventListener("hashchange", () => void useToken());
	await useToken();
}
async function useToken() {
	const token = tokenOf(location.hash);
	if (token === null) return;
	history.replaceState(null, "", "#/");
	place.reload();
	await signIn(token);
}
async function signIn(token) {
	try {
		run.rights = await openSession(token.trim().replace(/^.*#t=/, ""), userName());
		run.problem = "";
		return "";
	} catch (problem) {
		run.problem = problem.message;
		return run.problem;
	}
}
// src/parts/Authority.svelte
var root$19 = from_html(`<p><!></p> <div class="row"><button class="btn primary" type="button">Take control</button> <button class="btn" type="button">Give it back</button> <button class="btn" type="button">Close</button></div> <form><label class="svelte-1kkj6tr">Your name, for the log <input maxlength="64" autocomplete="username" data-testid="user"/></label> <div class="row"><button class="btn" type="submit">Use this name</button></div></form>`, 1);
var root_1$17 = from_html(`<p>This page may look but not change anything. The program printed a link when it started; open it, or paste it here.</p> <form><label class="svelte-1kkj6tr">Link or token <input type="password" autocomplete="off" required=""/></label> <label class="svelte-1kkj6tr">Your name, for the log <input maxlength="64" autocomplete="username"/></label> <div class="row"><button class="btn primary" type="submit">Use it</button> <button class="btn" type="button">Close</button></div></form>`, 1);
var root_2$11 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_3$9 = from_html(`<button type="button" class="who svelte-1kkj6tr" aria-haspopup="dialog"><span class="svelte-1kkj6tr"> </span> <small class="svelte-1kkj6tr"> </small></button> <dialog aria-labelledby="authority"><h3 id="authority">Control of the run</h3> <!> <!></dialog>`, 1);
function Authority($$anchor, $$props) {
	push($$props, true);
	let dialog;
	let token = state("");
	let name = state(proxy(userName()));
	let problem = state("");
	const holder = user_derived(() => run.control.holder);
	const who = user_derived(() => get(holder)?.you ? "you" : get(holder) ? get(holder).user || get(holder).from : run.rights.write ? "free" : "this page only looks");
	async function give(take) {
		try {
			run.control = {
				...run.control,
				...await takeControl(take)
			};
			set(problem, "");
			dialog.close();
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	async function rename(event) {
		event.preventDefault();
		try {
			setUserName(get(name));
			run.rights = await nameSession(get(name));
			set(problem, "");
			dialog.close();
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	async function enter(event) {
		event.preventDefault();
		setUserName(get(name));
		set(problem, await signIn(get(token)), true);
		if (!get(problem)) {
			set(token, "");
			dialog.close();
		}
	}
	var fragment = root_3$9();
	var button = first_child(fragment);
	var span = child(button);
	var text$2 = only_child(span);
	var text_1 = only_child(sibling(span, 2));
	reset(button);
	var dialog_1 = sibling(button, 2);
	var node = sibling(child(dialog_1), 2);
	var consequent_2 = ($$anchor) => {
		var fragment_1 = root$19();
		var p = first_child(fragment_1);
		var node_1 = child(p);
		var consequent = ($$anchor) => {
			append($$anchor, text("You have control. Others see the run, and that you have it."));
		};
		var consequent_1 = ($$anchor) => {
			var text_3 = text();
			template_effect(() => set_text(text_3, `${(get(holder).user || "Somebody") ?? ""} at ${get(holder).from ?? ""} has control. Taking it is written to the log, and they see it.`));
			append($$anchor, text_3);
		};
		var alternate = ($$anchor) => {
			append($$anchor, text("Nobody has control. Whoever changes something first gets it."));
		};
		if_block(node_1, ($$render) => {
			if (get(holder)?.you) $$render(consequent);
			else if (get(holder)) $$render(consequent_1, 1);
			else $$render(alternate, -1);
		});
		reset(p);
		var div = sibling(p, 2);
		var button_1 = child(div);
		var button_2 = sibling(button_1, 2);
		var button_3 = sibling(button_2, 2);
		reset(div);
		var form = sibling(div, 2);
		var label = child(form);
		var input = sibling(child(label));
		remove_input_defaults(input);
		reset(label);
		var button_4 = only_child(sibling(label, 2));
		reset(form);
		template_effect(() => {
			button_1.disabled = !run.mayWrite || get(holder)?.you;
			button_2.disabled = !get(holder)?.you;
			button_4.disabled = !run.mayWrite || get(name) === run.rights.user;
		});
		delegated("click", button_1, () => give(true));
		delegated("click", button_2, () => give(false));
		delegated("click", button_3, () => dialog.close());
		event("submit", form, rename);
		bind_value(input, () => get(name), ($$value) => set(name, $$value));
		append($$anchor, fragment_1);
	};
	var alternate_1 = ($$anchor) => {
		var fragment_3 = root_1$17();
		var form_1 = sibling(first_child(fragment_3), 2);
		var label_1 = child(form_1);
		var input_1 = sibling(child(label_1));
		remove_input_defaults(input_1);
		reset(label_1);
		var label_2 = sibling(label_1, 2);
		var input_2 = sibling(child(label_2));
		remove_input_defaults(input_2);
		reset(label_2);
		var div_2 = sibling(label_2, 2);
		var button_5 = sibling(child(div_2), 2);
		reset(div_2);
		reset(form_1);
		event("submit", form_1, enter);
		bind_value(input_1, () => get(token), ($$value) => set(token, $$value));
		bind_value(input_2, () => get(name), ($$value) => set(name, $$value));
		delegated("click", button_5, () => dialog.close());
		append($$anchor, fragment_3);
	};
	if_block(node, ($$render) => {
		if (run.rights.write) $$render(consequent_2);
		else $$render(alternate_1, -1);
	});
	var node_2 = sibling(node, 2);
	var consequent_3 = ($$anchor) => {
		var p_1 = root_2$11();
		var text_5 = only_child(p_1, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		if (get(problem)) $$render(consequent_3);
	});
	reset(dialog_1);
	bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog);
	template_effect(($0) => {
		set_text(text$2, `Control: ${get(who) ?? ""}`);
		set_text(text_1, `${run.control.watching ?? ""} watching · ${$0 ?? ""}`);
	}, [() => run.link === "open" ? `${Math.round(run.behindMs)} ms behind` : run.link === "ended" ? "run over" : "cut off"]);
	delegated("click", button, () => dialog.showModal());
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/parts/Losses.svelte
var root$18 = from_html(`<button type="button" class="note svelte-1wzzr9r">Acknowledge</button>`);
var root_1$16 = from_html(`<div class="kv losses svelte-1wzzr9r"><b> </b> <small><span class="svelte-1wzzr9r"> </span> <!></small></div>`);
function Losses($$anchor, $$props) {
	push($$props, true);
	let failed = state("");
	const lost = user_derived(() => run.moment?.run.unintended ?? 0);
	const loss = user_derived(() => run.moment?.loss);
	const noted = user_derived(() => get(loss)?.acknowledged);
	const WORDS = {
		nothing: "nothing lost",
		losing: "losing now",
		has_lost: "has lost",
		acknowledged: "acknowledged"
	};
	async function note() {
		try {
			await acknowledge(get(lost));
			set(failed, "");
		} catch (problem) {
			set(failed, problem.message, true);
		}
	}
	function about() {
		if (!get(loss) || get(loss).text === null) return "nothing lost";
		return `${WORDS[get(loss).state]}: ${get(loss).text}, ${ago($$props.now - (get(loss).at_ns ?? 0) / 1e6)}`;
	}
	const title = user_derived(() => [
		about(),
		get(noted) && `${count(get(noted).unintended)} acknowledged ${timeOfDay(get(noted).at_ns / 1e6)} by ${get(noted).by.user || get(noted).by.face}`,
		get(failed)
	].filter(Boolean).join("\n"));
	var div = root_1$16();
	var b = child(div);
	let classes;
	var text = only_child(b);
	var small = sibling(b, 2);
	let classes_1;
	var span = child(small);
	var text_1 = only_child(span, true);
	var node = sibling(span, 2);
	var consequent = ($$anchor) => {
		var button = root$18();
		delegated("click", button, note);
		append($$anchor, button);
	};
	if_block(node, ($$render) => {
		if (get(loss)?.state === "has_lost" && run.mayWrite) $$render(consequent);
	});
	reset(small);
	reset(div);
	template_effect(($0, $1) => {
		set_attribute(div, "title", get(title));
		set_attribute(div, "data-losses", get(loss)?.state);
		classes = set_class(b, 1, "svelte-1wzzr9r", null, classes, { warn: get(loss)?.state === "losing" });
		set_text(text, `${$0 ?? ""} lost`);
		classes_1 = set_class(small, 1, "svelte-1wzzr9r", null, classes_1, { alarm: get(failed) });
		set_text(text_1, $1);
	}, [() => count(get(lost)), () => get(failed) || about()]);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/parts/StopRun.svelte
var root$17 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_1$15 = from_html(`<button class="btn" type="button" aria-haspopup="dialog">Stop run…</button> <dialog aria-labelledby="stop-title"><h3 id="stop-title"> </h3> <p>The run ends for everybody. Stopping ends the sources and handles what is under way; aborting loses what is queued.</p> <div class="row"><button class="btn" type="button">Go on</button> <button class="btn primary" type="button">Stop</button> <button class="btn danger" type="button">Abort</button></div> <!></dialog>`, 1);
function StopRun($$anchor, $$props) {
	push($$props, true);
	let dialog;
	let problem = state("");
	async function end(how) {
		try {
			await endRun(how, run.run?.id ?? "");
			set(problem, "");
			dialog.close();
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	var fragment = root_1$15();
	var button = first_child(fragment);
	var dialog_1 = sibling(button, 2);
	var h3 = child(dialog_1);
	var text = only_child(h3);
	var div = sibling(h3, 4);
	var button_1 = child(div);
	var button_2 = sibling(button_1, 2);
	var button_3 = sibling(button_2, 2);
	reset(div);
	var node = sibling(div, 2);
	var consequent = ($$anchor) => {
		var p = root$17();
		var text_1 = only_child(p, true);
		template_effect(() => set_text(text_1, get(problem)));
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (get(problem)) $$render(consequent);
	});
	reset(dialog_1);
	bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog);
	template_effect(() => {
		button.disabled = !run.mayWrite;
		set_text(text, `Stop ${run.run?.pipeline ?? ""}?`);
	});
	delegated("click", button, () => dialog.showModal());
	delegated("click", button_1, () => dialog.close());
	delegated("click", button_2, () => end("stop"));
	delegated("click", button_3, () => end("abort"));
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/parts/Bar.svelte
var root$16 = from_html(`<span class="alarm svelte-cyj3n"> </span>`);
var root_1$14 = from_html(`<span class="failed alarm svelte-cyj3n" role="alert"> </span>`);
var root_2$10 = from_html(`<button class="btn" type="button">Look for the next run</button>`);
var root_3$8 = from_html(`<button class="btn" type="button"> </button>`);
var root_4$7 = from_html(`<header aria-label="Run" class="svelte-cyj3n"><div class="kv name svelte-cyj3n"><b class="svelte-cyj3n"> </b> <small title="Started, prefix of the PVs, and machine" class="svelte-cyj3n"> </small></div> <div class="kv state svelte-cyj3n" role="status"><b><i></i> </b> <small><!></small></div> <div><div class="kv big svelte-cyj3n"><b class="svelte-cyj3n"> </b><small class="svelte-cyj3n">live time</small></div> <div class="kv svelte-cyj3n"><b class="svelte-cyj3n"> </b><small class="svelte-cyj3n"> </small></div> <!> <div class="more svelte-cyj3n"><div class="kv svelte-cyj3n"><b class="svelte-cyj3n"> </b> <small class="svelte-cyj3n"> </small></div> <div class="kv svelte-cyj3n"><b class="asked svelte-cyj3n"> </b> <small class="svelte-cyj3n"> </small></div> <div class="kv svelte-cyj3n"><b> </b> <small class="svelte-cyj3n"> </small></div> <div class="kv svelte-cyj3n"><b class="svelte-cyj3n"> </b><small class="svelte-cyj3n"> </small></div></div></div> <div class="end svelte-cyj3n"><!> <!> <!> <!></div></header>`);
function Bar($$anchor, $$props) {
	push($$props, true);
	let now = state(proxy(Date.now()));
	let failed = state("");
	user_effect(() => {
		const timer = setInterval(() => set(now, Date.now(), true), 1e3);
		return () => clearInterval(timer);
	});
	const moment = user_derived(() => run.moment);
	const gone = user_derived(() => run.link === "gone");
	const over = user_derived(() => run.link === "ended");
	const limit = user_derived(() => get(moment)?.limit);
	const limiter = user_derived(() => get(limit)?.limit.by === "cpu" ? "all cores" : get(limit)?.limit.node ?? "");
	const busy = user_derived(() => get(limit)?.limit.by === "cpu" ? get(limit).cpu_utilisation : get(limit)?.utilisation);
	const offeredAll = user_derived(() => get(moment)?.run.offered ?? 0);
	const edges = user_derived(() => run.graph.edges.filter((edge) => edge.open && edge.nodes[1] !== null).length);
	const sources = user_derived(() => run.nodes.map((node, i) => ({
		name: node.name,
		state: get(moment)?.nodes.state[i] ?? 0
	})).filter((s) => s.state & 16));
	const acquiring = user_derived(() => get(sources).some((source) => source.state & 12));
	const standing = user_derived(stateOf);
	function stateOf() {
		const failure = run.ended?.failure ?? get(moment)?.failure;
		if (get(over)) return failure ? {
			word: "Failed",
			tone: "alarm"
		} : {
			word: "Ended",
			tone: ""
		};
		if (get(gone)) return {
			word: "No connection",
			tone: "alarm"
		};
		if (!get(moment)) return {
			word: "Connecting",
			tone: ""
		};
		if (get(moment).state === "failed") return {
			word: "Failed",
			tone: "alarm"
		};
		if (get(moment).state === "ended") return {
			word: "Ended",
			tone: ""
		};
		return get(sources).length > 0 && !get(acquiring) ? {
			word: "Paused",
			tone: "asked"
		} : {
			word: "Running",
			tone: "running"
		};
	}
	async function turn(what) {
		try {
			for (const source of get(sources)) run.learn(await command(source.name, what));
			set(failed, "");
		} catch (problem) {
			set(failed, problem.message, true);
		}
	}
	var header = root_4$7();
	var div = child(header);
	var b = child(div);
	var text$1 = only_child(b, true);
	var text_1 = only_child(sibling(b, 2));
	reset(div);
	var div_1 = sibling(div, 2);
	var b_1 = child(div_1);
	var i_1 = child(b_1);
	var text_2 = sibling(i_1, 1, true);
	reset(b_1);
	var small_1 = sibling(b_1, 2);
	let classes;
	var node_1 = child(small_1);
	var consequent = ($$anchor) => {
		var text_3 = text();
		template_effect(($0, $1) => set_text(text_3, `since ${$0 ?? ""} · ${$1 ?? ""} s`), [() => timeOfDay(run.goneSince), () => Math.max(0, Math.round((get(now) - run.goneSince) / 1e3))]);
		append($$anchor, text_3);
	};
	var consequent_1 = ($$anchor) => {
		var span = root$16();
		var text_4 = only_child(span, true);
		template_effect(() => {
			set_attribute(span, "title", get(moment).failure);
			set_text(text_4, get(moment).failure);
		});
		append($$anchor, span);
	};
	var alternate = ($$anchor) => {
		var text_5 = text();
		template_effect(($0) => set_text(text_5, $0), [() => clock(get(moment)?.elapsed_ns ?? 0)]);
		append($$anchor, text_5);
	};
	if_block(node_1, ($$render) => {
		if (get(gone)) $$render(consequent);
		else if (get(moment)?.failure) $$render(consequent_1, 1);
		else $$render(alternate, -1);
	});
	reset(small_1);
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	let classes_1;
	var div_3 = child(div_2);
	var text_6 = only_child(child(div_3), true);
	next();
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var b_3 = child(div_4);
	var text_7 = only_child(b_3);
	var text_8 = only_child(sibling(b_3));
	reset(div_4);
	var node_2 = sibling(div_4, 2);
	Losses(node_2, { get now() {
		return get(now);
	} });
	var div_5 = sibling(node_2, 2);
	var div_6 = child(div_5);
	var b_4 = child(div_6);
	var text_9 = only_child(b_4, true);
	var text_10 = only_child(sibling(b_4, 2));
	reset(div_6);
	var div_7 = sibling(div_6, 2);
	var b_5 = child(div_7);
	var text_11 = only_child(b_5, true);
	var text_12 = only_child(sibling(b_5, 2));
	reset(div_7);
	var div_8 = sibling(div_7, 2);
	var b_6 = child(div_8);
	let classes_2;
	var text_13 = only_child(b_6, true);
	var text_14 = only_child(sibling(b_6, 2));
	reset(div_8);
	var div_9 = sibling(div_8, 2);
	var b_7 = child(div_9);
	var text_15 = only_child(b_7, true);
	var text_16 = only_child(sibling(b_7));
	reset(div_9);
	reset(div_5);
	reset(div_2);
	var div_10 = sibling(div_2, 2);
	var node_3 = child(div_10);
	var consequent_2 = ($$anchor) => {
		var span_1 = root_1$14();
		var text_17 = only_child(span_1, true);
		template_effect(() => {
			set_attribute(span_1, "title", get(failed));
			set_text(text_17, get(failed));
		});
		append($$anchor, span_1);
	};
	if_block(node_3, ($$render) => {
		if (get(failed)) $$render(consequent_2);
	});
	var node_4 = sibling(node_3, 2);
	Authority(node_4, {});
	var node_5 = sibling(node_4, 2);
	var consequent_3 = ($$anchor) => {
		var button = root_2$10();
		delegated("click", button, () => location.reload());
		append($$anchor, button);
	};
	var consequent_4 = ($$anchor) => {
		var button_1 = root_3$8();
		var text_18 = only_child(button_1, true);
		template_effect(() => {
			button_1.disabled = !run.mayWrite;
			set_text(text_18, get(acquiring) ? "Pause" : "Start");
		});
		delegated("click", button_1, () => turn(get(acquiring) ? "abort" : "acquire"));
		append($$anchor, button_1);
	};
	if_block(node_5, ($$render) => {
		if (get(over)) $$render(consequent_3);
		else if (get(sources).length > 0) $$render(consequent_4, 1);
	});
	StopRun(sibling(node_5, 2), {});
	reset(div_10);
	reset(header);
	template_effect(($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10) => {
		set_attribute(b, "title", run.run?.pipeline);
		set_text(text$1, $0);
		set_text(text_1, `${$1 ?? ""} · ${run.run?.pv_prefix ?? "no PVs" ?? ""} · ${run.run?.host ?? "" ?? ""}`);
		set_class(b_1, 1, clsx(get(standing).tone), "svelte-cyj3n");
		set_class(i_1, 1, `dot ${get(standing).tone ?? ""}`, "svelte-cyj3n");
		set_text(text_2, get(standing).word);
		classes = set_class(small_1, 1, "svelte-cyj3n", null, classes, { alarm: get(gone) });
		classes_1 = set_class(div_2, 1, "figures svelte-cyj3n", null, classes_1, { gone: get(gone) || get(over) });
		set_text(text_6, $2);
		set_text(text_7, `${$3 ?? ""} Hz`);
		set_text(text_8, `${$4 ?? ""} frames`);
		set_text(text_9, $5);
		set_text(text_10, `sustainable${$6 ?? ""}`);
		set_text(text_11, $7);
		set_text(text_12, `left out as asked · ${$8 ?? ""}`);
		classes_2 = set_class(b_6, 1, "svelte-cyj3n", null, classes_2, { alarm: get(moment)?.run.closed === false });
		set_text(text_13, get(moment)?.run.closed === false ? "Open" : "Closed");
		set_text(text_14, `ledger, ${get(edges) ?? ""} edges`);
		set_text(text_15, $9);
		set_text(text_16, `of ${$10 ?? ""} frame memory`);
	}, [
		() => run.run?.pipeline.replace(/^.*[/\\]/, "") ?? "Livetime",
		() => run.run ? timeOfDay(run.run.started_ns / 1e6) : "",
		() => get(moment) ? share(get(moment).run.live) : "–",
		() => rate(get(moment)?.run.hz),
		() => count(get(moment)?.run.frames),
		() => get(limit) ? `${rate(get(limit).sustainable_hz)} Hz` : "–",
		() => get(limiter) ? ` · ${brief(get(limiter))} ${Math.round((get(busy) ?? 0) * 100)} % busy` : "",
		() => count(get(moment)?.run.intended),
		() => share(get(offeredAll) > 0 ? (get(moment)?.run.intended ?? 0) / get(offeredAll) : 0, 1),
		() => bytes(get(moment)?.run.pool_used),
		() => bytes(get(moment)?.run.pool_limit)
	]);
	append($$anchor, header);
	pop();
}
delegate(["click"]);
// src/model/hosts.ts
var TONES = [
	"failed",
	"gone",
	"losing",
	"unknown",
	"lost",
	"ended",
	"up"
];
function toneOf(host) {
	if (!host.reachable) return host.heard_ns === null ? "unknown" : "gone";
	if (host.state === "failed" || host.closed === false) return "failed";
	if (host.losses === "losing") return "losing";
	if (host.losses === "has_lost" || (host.in_doubt ?? 0) > 0) return "lost";
	return host.state === "running" ? "up" : "ended";
}
function inWords$1(host) {
	if (!host.reachable) return `${host.heard_ns === null ? "never heard of" : `gone since ${timeOfDay(host.since_ns / 1e6)}`}, its losses are unknown: ${host.why ?? "it does not answer"}`;
	const words = {
		nothing: "nothing lost",
		losing: "losing now",
		has_lost: "has lost",
		acknowledged: "has lost, acknowledged"
	};
	const lost = (host.unintended ?? 0) > 0 ? ` (${count(host.unintended)}${host.text ? `: ${host.text}` : ""})` : "";
	return [
		host.failure ? `failed: ${host.failure}` : host.state ?? "unknown",
		(host.losses ? words[host.losses] : "losses unknown") + lost,
		(host.in_doubt ?? 0) > 0 ? `${count(host.in_doubt)} frames in doubt` : "",
		host.closed === false ? "its ledger is open" : ""
	].filter(Boolean).join(", ");
}
function wholeInWords(hosts) {
	const tones = hosts.map(toneOf);
	const tone = TONES.find((known) => tones.includes(known)) ?? "unknown";
	const up = hosts.filter((host) => host.reachable).length;
	const answer = up === hosts.length ? `all ${up} hosts answer` : `${up} of ${hosts.length} hosts answer`;
	const worst = hosts[tones.indexOf(tone)];
	if (tone === "up" && hosts.every((host) => host.losses === "nothing")) return {
		tone,
		text: `${answer}, nothing lost`
	};
	return {
		tone,
		text: worst ? `${answer} · ${worst.name}: ${inWords$1(worst)}` : answer
	};
}
var unheard = (hosts, nowMs) => hosts.map((host) => ({
	...host,
	state: null,
	failure: null,
	losses: null,
	text: null,
	unintended: null,
	in_doubt: null,
	frames: null,
	closed: null,
	reachable: false,
	code: "door",
	why: "the server of this page does not answer",
	since_ns: host.reachable ? nowMs * 1e6 : host.since_ns
}));
// src/parts/Hosts.svelte
var root$15 = from_html(`<li class="svelte-12p2efd"><a class="svelte-12p2efd"><i></i> <span class="quiet"> </span></a></li>`);
var root_1$13 = from_html(`<nav aria-label="Hosts" class="svelte-12p2efd"><ul class="svelte-12p2efd"></ul> <small role="status"> </small></nav>`);
function Hosts($$anchor, $$props) {
	push($$props, true);
	const EVERY_MS = 2e3;
	const MORE_MS = 20;
	let hosts$1 = state([]);
	const here = hostOf(location.pathname);
	const whole = user_derived(() => wholeInWords(get(hosts$1)));
	user_effect(() => {
		let timer;
		let ended = false;
		async function look() {
			const found = document.hidden ? get(hosts$1) : await hosts().then((answer) => answer.hosts, () => null);
			set(hosts$1, found ?? unheard(get(hosts$1), Date.now()));
			const isAlone = found !== null && found.length < 2 && !document.hidden;
			if (!ended && !isAlone) timer = setTimeout(look, EVERY_MS + MORE_MS * get(hosts$1).length);
		}
		look();
		return () => {
			ended = true;
			clearTimeout(timer);
		};
	});
	const isHere = (host) => here ? host.name === here : host.self;
	const address = (host) => (host.self ? "/" : `/hosts/${host.name}/`) + location.hash.replace(/\?.*/, "");
	var fragment = comment();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var nav = root_1$13();
		var ul = child(nav);
		each(ul, 21, () => get(hosts$1), (host) => host.name, ($$anchor, host) => {
			const tone = user_derived(() => toneOf(get(host)));
			var li = root$15();
			var a = child(li);
			var i = child(a);
			var text = sibling(i, 1, true);
			var text_1 = only_child(sibling(text));
			reset(a);
			reset(li);
			template_effect(($0, $1, $2, $3) => {
				set_attribute(a, "href", $0);
				set_attribute(a, "aria-current", $1);
				set_attribute(a, "title", `${get(host).name ?? ""}: ${$2 ?? ""}`);
				set_attribute(a, "data-tone", get(tone));
				set_class(i, 1, `dot ${get(tone) ?? ""}`, "svelte-12p2efd");
				set_text(text, get(host).name);
				set_text(text_1, `: ${$3 ?? ""}`);
			}, [
				() => address(get(host)),
				() => isHere(get(host)) ? "page" : void 0,
				() => inWords$1(get(host)),
				() => inWords$1(get(host))
			]);
			append($$anchor, li);
		});
		reset(ul);
		var small = sibling(ul, 2);
		var text_2 = only_child(small, true);
		reset(nav);
		template_effect(() => {
			set_attribute(nav, "data-whole", get(whole).tone);
			set_class(small, 1, clsx(get(whole).tone), "svelte-12p2efd");
			set_attribute(small, "title", get(whole).text);
			set_text(text_2, get(whole).text);
		});
		append($$anchor, nav);
	};
	if_block(node, ($$render) => {
		if (get(hosts$1).length > 1) $$render(consequent);
	});
	append($$anchor, fragment);
	pop();
}
// src/style/theme.ts
var KEY$1 = "livetime.theme";
var known = new Map();
var light = matchMedia("(prefers-color-scheme: light)");
var theme = () => {
	const kept = localStorage.getItem(KEY$1);
	return kept === "dark" || kept === "light" ? kept : "system";
};
function setTheme(next) {
	if (next === "system") localStorage.removeItem(KEY$1);
	else localStorage.setItem(KEY$1, next);
	show();
}
function show() {
	const chosen = theme();
	const isLightNow = chosen === "light" || chosen === "system" && light.matches;
	known.clear();
	document.documentElement.dataset.theme = isLightNow ? "light" : "dark";
	dispatchEvent(new Event("themechange"));
}
function colour(name) {
	const found = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	known.set(name, found);
	return found;
}
function rgb(name) {
	const n = parseInt(colour(name).slice(1), 16);
	return [
		n >> 16,
		n >> 8 & 255,
		n & 255
	];
}
light.addEventListener("change", show);
show();
// src/parts/Rail.svelte
var root$14 = from_html(`<a class="svelte-1oz89qw"><svg viewBox="0 0 20 20" aria-hidden="true" class="svelte-1oz89qw"><path></path></svg> </a>`);
var root_1$12 = from_html(`<nav aria-label="Screens" class="svelte-1oz89qw"><svg class="mark svelte-1oz89qw" viewBox="0 0 36 36" aria-hidden="true"><path d="M5 24h6l3-13 4 17 4-11 2 7h7" stroke="var(--accent)" stroke-width="2.2"></path><path d="M5 31h26" stroke="var(--line2)" stroke-width="1.4"></path></svg> <!> <button type="button" class="svelte-1oz89qw"><svg viewBox="0 0 20 20" aria-hidden="true" class="svelte-1oz89qw"><circle cx="10" cy="10" r="6.500"></circle><path d="M10 3.500a6.500 6.500 0 0 1 0 13z" fill="currentColor"></path></svg> <span class="quiet">Colours:</span> </button></nav>`);
function Rail($$anchor, $$props) {
	push($$props, true);
	let chosen = state(proxy(theme()));
	const ICONS = {
		live: "M5 3h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM13.200 10a3.200 3.200 0 1 1-6.400 0a3.200 3.200 0 1 1 6.400 0z",
		graph: "M2 7.500h5v5H2zM13 2.500h5v5h-5zM13 12.500h5v5h-5zM7 10h3M10 5v10M10 5h3M10 15h3",
		trigger: "M4 2v16M8 2v16M12 2v16M16 2v16M3 14l5-5 3 2 6-7",
		plots: "M3 3v14h14M5.500 13l3.500-5 3 3 4.500-6",
		settings: "M3 5h3.200M9.800 5H17M3 10h8.200M14.800 10H17M3 15h1.200M7.800 15H17M9.800 5a1.800 1.800 0 1 1-3.600 0a1.800 1.800 0 1 1 3.600 0zM14.800 10a1.800 1.800 0 1 1-3.600 0a1.800 1.800 0 1 1 3.600 0zM7.800 15a1.800 1.800 0 1 1-3.600 0a1.800 1.800 0 1 1 3.600 0z",
		ledger: "M4 4h12M4 8h12M4 12h8M4 16h10",
		runs: "M3 6c0-2 14-2 14 0v8c0 2-14 2-14 0zM3 6c0 2 14 2 14 0M3 10c0 2 14 2 14 0"
	};
	const NEXT = {
		system: "dark",
		dark: "light",
		light: "system"
	};
	function turn() {
		set(chosen, NEXT[get(chosen)], true);
		setTheme(get(chosen));
	}
	function go(event, name) {
		if (event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		place.go(name);
	}
	var nav = root_1$12();
	var node = sibling(child(nav), 2);
	each(node, 19, () => $$props.screens, ({ name, title }) => name, ($$anchor, $$item, i) => {
		let name = () => get($$item).name;
		let title = () => get($$item).title;
		var a = root$14();
		var svg = child(a);
		var path = only_child(svg);
		var text = sibling(svg, 1, true);
		reset(a);
		template_effect(($0) => {
			set_attribute(a, "href", $0);
			set_attribute(a, "aria-current", place.screen === name() ? "page" : void 0);
			set_attribute(a, "title", `${title() ?? ""} (key ${get(i) + 1})`);
			set_attribute(path, "d", ICONS[name()]);
			set_text(text, title());
		}, [() => writeAddress({
			screen: name(),
			query: {}
		})]);
		delegated("click", a, (event) => go(event, name()));
		append($$anchor, a);
	});
	var button = sibling(node, 2);
	var text_1 = sibling(child(button), 3, true);
	reset(button);
	reset(nav);
	template_effect(() => {
		set_attribute(button, "title", `Colours: ${get(chosen) ?? ""}; press for ${NEXT[get(chosen)] ?? ""}`);
		set_text(text_1, get(chosen));
	});
	delegated("click", button, turn);
	append($$anchor, nav);
	pop();
}
delegate(["click"]);
// src/model/full.ts
var isFull = () => place.get("full") !== "";
function turnFull() {
	const full = !isFull();
	place.set({ full: full ? "1" : "" });
	if (full) document.documentElement.requestFullscreen?.().catch(() => {});
	else if (document.fullscreenElement) document.exitFullscreen();
}
document.addEventListener("fullscreenchange", () => {
	if (!document.fullscreenElement) place.set({ full: "" });
});
// src/model/losses.ts
var inWords = (name) => name.replaceAll("_", " ");
var receiver = (edge) => edge?.to.split(".")[0] ?? "";
// src/parts/Name.svelte
var root$13 = from_html(`<span class="name svelte-iaoz8r"><span class="head svelte-iaoz8r"> </span><span class="end svelte-iaoz8r"> </span></span>`);
function Name($$anchor, $$props) {
	push($$props, true);
	const [END, LONG] = [8, 14];
	const cut = user_derived(() => $$props.name.length > LONG ? $$props.name.length - END : $$props.name.length);
	var span = root$13();
	var span_1 = child(span);
	var text = only_child(span_1, true);
	var text_1 = only_child(sibling(span_1), true);
	reset(span);
	template_effect(($0, $1) => {
		set_attribute(span, "title", $$props.name);
		set_text(text, $0);
		set_text(text_1, $1);
	}, [() => $$props.name.slice(0, get(cut)), () => $$props.name.slice(get(cut))]);
	append($$anchor, span);
	pop();
}
// src/parts/LedgerBars.svelte
var root$12 = from_html(`<i class="asked svelte-1vyvxub"></i>`);
var root_1$11 = from_html(`<i class="lost svelte-1vyvxub"></i>`);
var root_2$9 = from_html(`<tr><th scope="row" class="svelte-1vyvxub"><!></th><td class="svelte-1vyvxub"><div class="shares svelte-1vyvxub" aria-hidden="true"><i class="svelte-1vyvxub"></i> <!> <!></div></td><td class="svelte-1vyvxub"> </td><td> </td><td> </td></tr>`);
var root_3$7 = from_html(`<tr><td colspan="5" class="none faint svelte-1vyvxub">No frame was offered to an edge yet.</td></tr>`);
var root_4$6 = from_html(`<table class="svelte-1vyvxub"><thead class="svelte-1vyvxub"><tr><th scope="col" class="svelte-1vyvxub">edge</th><th scope="col" class="bar svelte-1vyvxub"><span class="quiet">shares</span></th><th scope="col" class="svelte-1vyvxub">delivered</th><th scope="col" class="svelte-1vyvxub">left out</th><th scope="col" class="svelte-1vyvxub">lost</th></tr></thead><tbody></tbody></table>`);
function LedgerBars($$anchor, $$props) {
	push($$props, true);
	let most = prop($$props, "most", 3, 1e3);
	const rows = user_derived(() => {
		const now = run.moment?.edges;
		const all = run.graph.edges.map((edge, i) => ({
			key: `${edge.from} ${edge.to} ${i}`,
			name: edge.nodes[1] === null ? `${edge.from.split(".")[0]} → pages` : `${edge.from.split(".")[0]} → ${receiver(edge)}`,
			hint: `${edge.from} → ${edge.to}${edge.max_rate_hz ? `, at most ${edge.max_rate_hz} Hz` : ""}`,
			offered: now?.offered[i] ?? 0,
			delivered: now?.delivered[i] ?? 0,
			asked: now?.left_out[i] ?? 0,
			lost: now?.lost[i] ?? 0,
			losing: (now?.losing[i] ?? 0) > 0
		}));
		const inNodes = (run.moment?.losses ?? []).filter(([edge, , , node]) => edge === null && node !== null);
		all.push(...inNodes.map(([, reason, lost, node, asked, , losing]) => ({
			key: `${node} ${reason}`,
			name: `in ${run.nodes[node]?.name}`,
			hint: inWords(reason),
			offered: lost,
			delivered: 0,
			asked: asked ? lost : 0,
			lost: asked ? 0 : lost,
			losing
		})));
		const weight = (row) => row.lost > 0 ? 2 : row.asked > 0 ? 1 : 0;
		return all.filter((row) => row.offered > 0 || most() > 100).sort((a, b) => weight(b) - weight(a)).slice(0, most());
	});
	const part = (n, row) => n === 0 ? 0 : Math.max(.8, 100 * n / Math.max(1, row.offered));
	var table = root_4$6();
	var tbody = sibling(child(table));
	each(tbody, 21, () => get(rows), (row) => row.key, ($$anchor, row) => {
		var tr = root_2$9();
		var th = child(tr);
		Name(child(th), { get name() {
			return get(row).name;
		} });
		reset(th);
		var td = sibling(th);
		var div = child(td);
		var i_1 = child(div);
		let styles;
		var node_2 = sibling(i_1, 2);
		var consequent = ($$anchor) => {
			var i_2 = root$12();
			let styles_1;
			template_effect(($0) => styles_1 = set_style(i_2, "", styles_1, { flex: $0 }), [() => part(get(row).asked, get(row))]);
			append($$anchor, i_2);
		};
		if_block(node_2, ($$render) => {
			if (get(row).asked) $$render(consequent);
		});
		var node_3 = sibling(node_2, 2);
		var consequent_1 = ($$anchor) => {
			var i_3 = root_1$11();
			let styles_2;
			template_effect(($0) => styles_2 = set_style(i_3, "", styles_2, { flex: $0 }), [() => part(get(row).lost, get(row))]);
			append($$anchor, i_3);
		};
		if_block(node_3, ($$render) => {
			if (get(row).lost) $$render(consequent_1);
		});
		reset(div);
		reset(td);
		var td_1 = sibling(td);
		var text = only_child(td_1, true);
		var td_2 = sibling(td_1);
		var text_1 = only_child(td_2, true);
		var td_3 = sibling(td_2);
		var text_2 = only_child(td_3, true);
		reset(tr);
		template_effect(($0, $1, $2, $3) => {
			set_attribute(th, "title", get(row).hint);
			styles = set_style(i_1, "", styles, { flex: $0 });
			set_text(text, $1);
			set_class(td_2, 1, clsx(get(row).asked ? "asked" : "faint"), "svelte-1vyvxub");
			set_text(text_1, $2);
			set_class(td_3, 1, clsx(get(row).losing ? "warn" : get(row).lost ? "" : "faint"), "svelte-1vyvxub");
			set_text(text_2, $3);
		}, [
			() => part(get(row).delivered, get(row)),
			() => count(get(row).delivered),
			() => count(get(row).asked),
			() => count(get(row).lost)
		]);
		append($$anchor, tr);
	}, ($$anchor) => {
		append($$anchor, root_3$7());
	});
	reset(tbody);
	reset(table);
	append($$anchor, table);
	pop();
}
// src/model/lanes.ts
function lanes(nodes, wires) {
	const inputs = Array.from({ length: nodes }, () => []);
	for (const { from, to } of wires) {
		const known = inputs[to];
		if (known && from < nodes && from !== to && !known.includes(from)) known.push(from);
	}
	const parents = inputs.map((from) => from[0] ?? -1);
	cutCircles(parents);
	const children = Array.from({ length: nodes }, () => []);
	parents.forEach((parent, node) => children[parent]?.push(node));
	const rows = [];
	const put = (node, strokes) => {
		const below = children[node] ?? [];
		const alsoFrom = (inputs[node] ?? []).filter((from) => from !== parents[node]);
		rows.push({
			node,
			depth: strokes.length,
			strokes,
			hasChildren: below.length > 0,
			alsoFrom
		});
		const passed = strokes.map((stroke) => stroke === "branch" || stroke === "pass" ? "pass" : "none");
		below.forEach((child, i) => put(child, [...passed, i === below.length - 1 ? "end" : "branch"]));
	};
	parents.forEach((parent, node) => parent === -1 && put(node, []));
	return rows;
}
function cutCircles(parents) {
	const state = new Uint8Array(parents.length);
	parents.forEach((_, start) => {
		const path = [];
		let node = start;
		while (node >= 0 && state[node] === 0) {
			state[node] = 1;
			path.push(node);
			node = parents[node] ?? -1;
		}
		if (node >= 0 && state[node] === 1) parents[node] = -1;
		for (const visited of path) state[visited] = 2;
	});
}
function layers(nodes, wires) {
	const column = new Array(nodes).fill(0);
	for (let round = 0; round < nodes; round++) {
		let moved = false;
		for (const { from, to } of wires) {
			const wanted = (column[from] ?? 0) + 1;
			if (from !== to && wanted < nodes && (column[to] ?? 0) < wanted) [column[to], moved] = [wanted, true];
		}
		if (!moved) break;
	}
	const used = [];
	const places = Array.from({ length: nodes }, () => ({
		column: 0,
		row: 0
	}));
	for (const { node } of lanes(nodes, wires)) {
		const at = column[node] ?? 0;
		const parent = wires.find((wire) => wire.to === node)?.from;
		const beside = parent === void 0 ? 0 : places[parent]?.row ?? 0;
		const row = Math.max(used[at] ?? 0, beside);
		used[at] = row + 1;
		places[node] = {
			column: at,
			row
		};
	}
	return places;
}
// src/model/table.ts
var LANE = 17;
var [NAME, RATE, LOST] = [
	92,
	52,
	64
];
var [QUEUE, BARS, TIME, CPU] = [
	50,
	34,
	62,
	34
];
var laneFor = (deepest, wide) => Math.min(LANE, Math.max(51, wide / 5) / Math.max(1, deepest));
function columnsFor(lanes, wide) {
	let room = wide - lanes - NAME - RATE - LOST;
	const take = (width) => {
		const fits = room >= width;
		if (fits) room -= width;
		return fits;
	};
	const queue = take(QUEUE);
	const [cpu, bars] = [take(CPU), queue && take(BARS)];
	const [latency, service] = [take(TIME), take(TIME)];
	return {
		queue: queue ? QUEUE + (bars ? BARS : 0) : 0,
		bars,
		cpu,
		latency,
		service
	};
}
// src/parts/Pipeline.svelte
var root$11 = from_html(`<th scope="col" class="svelte-jonzhq">queue</th>`);
var root_1$10 = from_html(`<th scope="col" class="time svelte-jonzhq" title="Half of the frames of the last 10 s took no longer">service</th>`);
var root_2$8 = from_html(`<th scope="col" class="time svelte-jonzhq" title="99 of 100 frames of the last 10 s were faster">latency</th>`);
var root_3$6 = from_html(`<th scope="col" class="cpu svelte-jonzhq" title="Percent of one core">CPU</th>`);
var root_4$5 = from_svg(`<path></path>`);
var root_5$3 = from_svg(`<!><!><!>`, 1);
var root_6$2 = from_html(`<span class="warn">alarm</span>`);
var root_7$2 = from_html(`<span class="type also svelte-jonzhq"> </span>`);
var root_8$2 = from_html(`<span class="faint">source</span>`);
var root_9$1 = from_html(`<span class="faint">inline</span>`);
var root_10$1 = from_html(`<u class="svelte-jonzhq"></u>`);
var root_11$1 = from_html(`<span class="bar svelte-jonzhq" aria-hidden="true"><i></i> <!></span>`);
var root_12$1 = from_html(`<!><span> </span>`, 1);
var root_13$1 = from_html(`<td class="svelte-jonzhq"><!></td>`);
var root_14 = from_html(`<td class="svelte-jonzhq"> </td>`);
var root_15 = from_html(`<span> </span>`);
var root_16 = from_html(`<span class="asked" title="left out as asked"> </span>`);
var root_17 = from_html(`<span class="faint">0</span>`);
var root_18 = from_html(`<tr><th scope="row" class="svelte-jonzhq"><div class="node svelte-jonzhq"><svg aria-hidden="true" class="svelte-jonzhq"><!><!><circle cy="15.500" r="3.500"></circle></svg> <button type="button" class="svelte-jonzhq"><!></button> <span class="type svelte-jonzhq"> </span> <!> <!></div></th><td> </td><!><!><!><!><td class="lost svelte-jonzhq"><!></td></tr>`);
var root_19 = from_html(`<h2>Pipeline <span> </span><span class="right">frames/s</span></h2> <div><table class="svelte-jonzhq"><thead class="svelte-jonzhq"><tr><th scope="col" class="name svelte-jonzhq">node</th><th scope="col" class="out svelte-jonzhq">out/s</th><!><!><!><!><th scope="col" class="lost svelte-jonzhq">lost</th></tr></thead><tbody class="svelte-jonzhq"></tbody></table></div>`, 1);
function Pipeline($$anchor, $$props) {
	push($$props, true);
	const ROW = 31;
	const DOT = 22;
	const SHOWN_MS = 6e4;
	const wires = user_derived(() => run.graph.edges.flatMap(({ nodes: [from, to], open }) => to === null || !open ? [] : [{
		from,
		to
	}]));
	const rows = user_derived(() => lanes(run.nodes.length, get(wires)));
	const now = user_derived(() => run.moment?.nodes);
	const alarms = user_derived(() => new Map((run.moment?.alarms ?? []).map(([node, what, bound]) => [node, `${what} is beyond ${bound}`])));
	let wide = state(400);
	const deepest = user_derived(() => get(rows).reduce((most, { depth }) => Math.max(most, depth), 0));
	const lane = user_derived(() => laneFor(get(deepest), get(wide)));
	const columns = user_derived(() => columnsFor(get(deepest) * get(lane) + DOT, get(wide)));
	const peaks = [];
	let high = state([]);
	user_effect(() => {
		const moment = run.moment;
		if (!moment) return;
		const slot = Math.floor(moment.at_ns / 1e10);
		if (peaks.at(-1)?.slot !== slot) peaks.push({
			slot,
			queued: []
		});
		const latest = peaks.at(-1).queued;
		moment.nodes.queued.forEach((n, i) => latest[i] = Math.max(latest[i] ?? 0, n ?? 0));
		while (peaks.length > 0 && peaks[0].slot < slot - SHOWN_MS / 1e4) peaks.shift();
		set(high, run.nodes.map((_, i) => Math.max(...peaks.map((peak) => peak.queued[i] ?? 0))));
	});
	const ns = (ms) => ms === null || ms === void 0 ? null : ms * 1e6;
	const at = (list, i) => list?.[i] ?? 0;
	function move(event, index) {
		const by = {
			ArrowDown: 1,
			ArrowUp: -1,
			Home: -get(rows).length,
			End: get(rows).length
		}[event.key];
		if (by === void 0) return;
		event.preventDefault();
		const next = get(rows)[Math.min(get(rows).length - 1, Math.max(0, index + by))];
		const name = run.nodes[next?.node ?? 0]?.name ?? "";
		$$props.choose(name);
		document.getElementById(`node-${name}`)?.focus();
	}
	var fragment = root_19();
	var h2 = first_child(fragment);
	var text = only_child(sibling(child(h2)));
	next();
	reset(h2);
	var div = sibling(h2, 2);
	var table = child(div);
	var thead = child(table);
	var tr = child(thead);
	var node_1 = sibling(child(tr), 2);
	var consequent = ($$anchor) => {
		var th = root$11();
		let styles;
		template_effect(() => styles = set_style(th, "", styles, { width: `${get(columns).queue ?? ""}px` }));
		append($$anchor, th);
	};
	if_block(node_1, ($$render) => {
		if (get(columns).queue) $$render(consequent);
	});
	var node_2 = sibling(node_1);
	var consequent_1 = ($$anchor) => {
		append($$anchor, root_1$10());
	};
	if_block(node_2, ($$render) => {
		if (get(columns).service) $$render(consequent_1);
	});
	var node_3 = sibling(node_2);
	var consequent_2 = ($$anchor) => {
		append($$anchor, root_2$8());
	};
	if_block(node_3, ($$render) => {
		if (get(columns).latency) $$render(consequent_2);
	});
	var node_4 = sibling(node_3);
	var consequent_3 = ($$anchor) => {
		append($$anchor, root_3$6());
	};
	if_block(node_4, ($$render) => {
		if (get(columns).cpu) $$render(consequent_3);
	});
	next();
	reset(tr);
	reset(thead);
	var tbody = sibling(thead);
	each(tbody, 23, () => get(rows), (row) => row.node, ($$anchor, row, index$1) => {
		const node = user_derived(() => run.nodes[get(row).node]);
		const state = user_derived(() => at(get(now)?.state, get(row).node));
		const lost = user_derived(() => at(get(now)?.lost, get(row).node));
		const losing = user_derived(() => at(get(now)?.losing, get(row).node) > 0);
		const asked = user_derived(() => at(get(now)?.left_out, get(row).node));
		const queued = user_derived(() => at(get(now)?.queued, get(row).node));
		const room = user_derived(() => at(get(now)?.capacity, get(row).node));
		const width = user_derived(() => get(row).depth * get(lane) + DOT);
		const x = user_derived(() => get(row).depth * get(lane) + 9);
		const off = user_derived(() => get(now) !== void 0 && !(get(state) & 1));
		var tr_1 = root_18();
		let classes;
		var th_4 = child(tr_1);
		var div_1 = child(th_4);
		var svg = child(div_1);
		set_attribute(svg, "height", ROW);
		var node_5 = child(svg);
		each(node_5, 17, () => get(row).strokes, index, ($$anchor, stroke, at, $$array) => {
			const lx = user_derived(() => at * get(lane) + 9);
			var fragment_1 = root_5$3();
			var node_6 = first_child(fragment_1);
			var consequent_4 = ($$anchor) => {
				var path = root_4$5();
				template_effect(() => set_attribute(path, "d", `M${get(lx) ?? ""} 0v31`));
				append($$anchor, path);
			};
			if_block(node_6, ($$render) => {
				if (get(stroke) === "pass") $$render(consequent_4);
			});
			var node_7 = sibling(node_6);
			var consequent_5 = ($$anchor) => {
				var path_1 = root_4$5();
				template_effect(() => set_attribute(path_1, "d", `M${get(lx) ?? ""} 0v31M${get(lx) ?? ""} 15.500h${get(lane) - 4}`));
				append($$anchor, path_1);
			};
			if_block(node_7, ($$render) => {
				if (get(stroke) === "branch") $$render(consequent_5);
			});
			var node_8 = sibling(node_7);
			var consequent_6 = ($$anchor) => {
				var path_2 = root_4$5();
				template_effect(() => set_attribute(path_2, "d", `M${get(lx) ?? ""} 0v15.500h${get(lane) - 4}`));
				append($$anchor, path_2);
			};
			if_block(node_8, ($$render) => {
				if (get(stroke) === "end") $$render(consequent_6);
			});
			append($$anchor, fragment_1);
		});
		var node_9 = sibling(node_5);
		var consequent_7 = ($$anchor) => {
			var path_3 = root_4$5();
			template_effect(() => set_attribute(path_3, "d", `M${get(x) ?? ""} 15.500v31`));
			append($$anchor, path_3);
		};
		if_block(node_9, ($$render) => {
			if (get(row).hasChildren) $$render(consequent_7);
		});
		var circle = sibling(node_9);
		let classes_1;
		reset(svg);
		var button = sibling(svg, 2);
		Name(child(button), { get name() {
			return get(node).name;
		} });
		reset(button);
		var span_2 = sibling(button, 2);
		var text_1 = only_child(span_2, true);
		var node_11 = sibling(span_2, 2);
		var consequent_8 = ($$anchor) => {
			var span_3 = root_6$2();
			template_effect(($0) => set_attribute(span_3, "title", $0), [() => get(alarms).get(get(row).node)]);
			append($$anchor, span_3);
		};
		var d = user_derived(() => get(alarms).has(get(row).node));
		if_block(node_11, ($$render) => {
			if (get(d)) $$render(consequent_8);
		});
		var node_12 = sibling(node_11, 2);
		var consequent_9 = ($$anchor) => {
			var span_4 = root_7$2();
			var text_2 = only_child(span_4);
			template_effect(($0) => {
				set_attribute(span_4, "title", `also fed by ${$0 ?? ""}`);
				set_text(text_2, `+${get(row).alsoFrom.length ?? ""}`);
			}, [() => get(row).alsoFrom.map((i) => run.nodes[i]?.name).join(", ")]);
			append($$anchor, span_4);
		};
		if_block(node_12, ($$render) => {
			if (get(row).alsoFrom.length > 0) $$render(consequent_9);
		});
		reset(div_1);
		reset(th_4);
		var td = sibling(th_4);
		let classes_2;
		var text_3 = only_child(td, true);
		var node_13 = sibling(td);
		var consequent_14 = ($$anchor) => {
			var td_1 = root_13$1();
			var node_14 = child(td_1);
			var consequent_10 = ($$anchor) => {
				append($$anchor, root_8$2());
			};
			var consequent_11 = ($$anchor) => {
				append($$anchor, root_9$1());
			};
			var alternate = ($$anchor) => {
				var fragment_2 = root_12$1();
				var node_15 = first_child(fragment_2);
				var consequent_13 = ($$anchor) => {
					var span_7 = root_11$1();
					var i_1 = child(span_7);
					let classes_3;
					let styles_1;
					var node_16 = sibling(i_1, 2);
					var consequent_12 = ($$anchor) => {
						var u = root_10$1();
						let styles_2;
						template_effect(($0) => styles_2 = set_style(u, "", styles_2, { left: $0 }), [() => `${Math.min(98, 100 * (get(high)[get(row).node] ?? 0) / get(room))}%`]);
						append($$anchor, u);
					};
					if_block(node_16, ($$render) => {
						if (get(high)[get(row).node]) $$render(consequent_12);
					});
					reset(span_7);
					template_effect(() => {
						classes_3 = set_class(i_1, 1, "svelte-jonzhq", null, classes_3, { warn: get(queued) / get(room) > .4 });
						styles_1 = set_style(i_1, "", styles_1, { width: `${100 * get(queued) / get(room)}%` });
					});
					append($$anchor, span_7);
				};
				if_block(node_15, ($$render) => {
					if (get(columns).bars) $$render(consequent_13);
				});
				var span_8 = sibling(node_15);
				let classes_4;
				var text_4 = only_child(span_8);
				template_effect(() => {
					classes_4 = set_class(span_8, 1, "fill svelte-jonzhq", null, classes_4, { faint: get(queued) === 0 });
					set_text(text_4, `${get(queued) ?? ""}/${get(room) ?? ""}`);
				});
				append($$anchor, fragment_2);
			};
			if_block(node_14, ($$render) => {
				if (get(state) & 16) $$render(consequent_10);
				else if (get(room) === 0) $$render(consequent_11, 1);
				else $$render(alternate, -1);
			});
			reset(td_1);
			append($$anchor, td_1);
		};
		if_block(node_13, ($$render) => {
			if (get(columns).queue) $$render(consequent_14);
		});
		var node_17 = sibling(node_13);
		var consequent_15 = ($$anchor) => {
			var td_2 = root_14();
			var text_5 = only_child(td_2, true);
			template_effect(($0) => set_text(text_5, $0), [() => span(ns(run.times?.service.p50_ms["10s"][get(row).node]))]);
			append($$anchor, td_2);
		};
		if_block(node_17, ($$render) => {
			if (get(columns).service) $$render(consequent_15);
		});
		var node_18 = sibling(node_17);
		var consequent_16 = ($$anchor) => {
			var td_3 = root_14();
			var text_6 = only_child(td_3, true);
			template_effect(($0) => set_text(text_6, $0), [() => get(state) & 16 ? "–" : span(ns(run.times?.latency.p99_ms["10s"][get(row).node]))]);
			append($$anchor, td_3);
		};
		if_block(node_18, ($$render) => {
			if (get(columns).latency) $$render(consequent_16);
		});
		var node_19 = sibling(node_18);
		var consequent_17 = ($$anchor) => {
			var td_4 = root_14();
			var text_7 = only_child(td_4, true);
			template_effect(($0) => set_text(text_7, $0), [() => get(now)?.cpu[get(row).node] === null ? "–" : Math.round(at(get(now)?.cpu, get(row).node))]);
			append($$anchor, td_4);
		};
		if_block(node_19, ($$render) => {
			if (get(columns).cpu) $$render(consequent_17);
		});
		var td_5 = sibling(node_19);
		var node_20 = child(td_5);
		var consequent_18 = ($$anchor) => {
			var span_9 = root_15();
			let classes_5;
			var text_8 = only_child(span_9, true);
			template_effect(($0) => {
				set_attribute(span_9, "title", get(losing) ? "losing now" : "has lost");
				classes_5 = set_class(span_9, 1, "", null, classes_5, { warn: get(losing) });
				set_text(text_8, $0);
			}, [() => count(get(lost))]);
			append($$anchor, span_9);
		};
		var consequent_19 = ($$anchor) => {
			var span_10 = root_16();
			var text_9 = only_child(span_10);
			template_effect(($0) => set_text(text_9, `(${$0 ?? ""})`), [() => count(get(asked))]);
			append($$anchor, span_10);
		};
		var alternate_1 = ($$anchor) => {
			append($$anchor, root_17());
		};
		if_block(node_20, ($$render) => {
			if (get(lost) > 0) $$render(consequent_18);
			else if (get(asked) > 0) $$render(consequent_19, 1);
			else $$render(alternate_1, -1);
		});
		reset(td_5);
		reset(tr_1);
		template_effect(($0, $1) => {
			classes = set_class(tr_1, 1, "svelte-jonzhq", null, classes, { current: get(node).name === $$props.chosen });
			set_attribute(svg, "width", get(width));
			set_attribute(svg, "viewBox", `0 0 ${get(width) ?? ""} 31`);
			set_attribute(circle, "cx", get(x));
			classes_1 = set_class(circle, 0, "svelte-jonzhq", null, classes_1, {
				lost: get(losing),
				off: get(off)
			});
			set_attribute(button, "id", `node-${get(node).name ?? ""}`);
			set_attribute(button, "title", `${get(node).name ?? ""}, ${get(node).type ?? ""}`);
			set_attribute(button, "aria-pressed", get(node).name === $$props.chosen);
			set_attribute(button, "tabindex", get(node).name === $$props.chosen || !$$props.chosen && get(index$1) === 0 ? 0 : -1);
			set_text(text_1, get(off) ? "off" : get(node).type);
			classes_2 = set_class(td, 1, "svelte-jonzhq", null, classes_2, { faint: $0 });
			set_text(text_3, $1);
		}, [() => at(get(now)?.hz, get(row).node) === 0, () => rate(get(now)?.hz[get(row).node])]);
		delegated("click", tr_1, () => $$props.choose(get(node).name));
		delegated("keydown", button, (event) => move(event, get(index$1)));
		append($$anchor, tr_1);
	});
	reset(tbody);
	reset(table);
	reset(div);
	template_effect(() => set_text(text, `${run.nodes.length ?? ""} nodes, ${get(wires).length ?? ""} edges · last second`));
	bind_element_size(div, "clientWidth", ($$value) => set(wide, $$value));
	append($$anchor, fragment);
	pop();
}
delegate(["click", "keydown"]);
// src/link/feed.ts
var RETRY_MS = 1e3;
var Feed = class {
	base;
	read;
	listener;
	wish = null;
	url = null;
	changed = false;
	running = false;
	stopped = true;
	abort = null;
	after = null;
	constructor(base, read, listener) {
		this.base = base;
		this.read = read;
		this.listener = listener;
	}
	want(wish) {
		if (JSON.stringify(wish) === JSON.stringify(this.wish)) return;
		if (wish?.from !== this.wish?.from) this.abort?.abort();
		this.wish = wish;
		this.changed = true;
		this.after = null;
		this.run();
	}
	stop(stopped) {
		this.stopped = stopped;
		if (!stopped) this.run();
	}
	async run() {
		if (this.running) return;
		this.running = true;
		while (this.wish && !this.stopped) try {
			await this.step(this.wish);
		} catch (problem) {
			if (problem instanceof DOMException && problem.name === "AbortError") continue;
			this.url = null;
			if (this.stopped) break;
			this.listener.problem(problem instanceof Error ? problem.message : String(problem));
			await new Promise((done) => setTimeout(done, RETRY_MS));
		}
		this.running = false;
	}
	async step(wish) {
		this.abort = new AbortController();
		const { signal } = this.abort;
		if (this.url === null || this.changed) {
			this.changed = false;
			await this.place(wish, signal);
		}
		if (this.url === null) return;
		const query = this.after === null ? "" : `?after=${this.after}`;
		const answer = await fetch(this.base + this.url + query, { signal });
		if (answer.status === 404) this.url = null;
		if (answer.status === 204 || answer.status === 404) return;
		if (!answer.ok) throw new Error(await sentence(answer));
		const frame = this.read(await answer.arrayBuffer(), answer.headers.get("livetime-place"));
		if (this.changed) return;
		this.after = frame.header.sequence;
		this.listener.problem("");
		await this.listener.frame(frame);
	}
	async place(wish, signal) {
		const [method, path] = this.url === null ? ["POST", "/api/v1/views"] : ["PUT", this.url];
		const answer = await fetch(this.base + path, {
			method,
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify(wish),
			signal
		});
		if (answer.status === 404 && this.url !== null) {
			this.url = null;
			return this.place(wish, signal);
		}
		if (!answer.ok) throw new Error(await sentence(answer));
		this.url = (await answer.json()).url;
	}
	async valueAt(x, y) {
		if (this.url === null) return null;
		const answer = await fetch(`${this.base}${this.url}/at?x=${x}&y=${y}`);
		return answer.ok ? (await answer.json()).value : null;
	}
};
async function sentence(answer) {
	try {
		return (await answer.json()).error.message;
	} catch {
		return `the server answered ${answer.status}`;
	}
}
// src/link/still.ts
var isStill = (from) => from.startsWith("/api/");
var detectorOf = (from) => isStill(from) ? from.replace(/&event=\d+$/, "") : from;
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
// src/model/roi.ts
var HANDLES = [
	"nw",
	"n",
	"ne",
	"e",
	"se",
	"s",
	"sw",
	"w"
];
var asNumber = (value, otherwise) => typeof value === "number" ? value : otherwise;
function regionOf(values, input) {
	const [x, width] = along(values, "x", input.width);
	const [y, height] = along(values, "y", input.height);
	return {
		x,
		y,
		width,
		height
	};
}
function along(values, axis, whole) {
	if (values(`enable_${axis}`) === false) return [0, whole];
	const start = clamp(asNumber(values(`min_${axis}`), 0), 0, Math.max(0, whole - 1));
	const left = whole - start;
	if (values(`auto_size_${axis}`) === true) return [start, left];
	return [start, clamp(asNumber(values(`size_${axis}`), left), 1, left)];
}
function parametersOf(region, values) {
	const set = {
		min_x: region.x,
		min_y: region.y,
		size_x: region.width,
		size_y: region.height
	};
	for (const axis of ["x", "y"]) {
		if (values(`enable_${axis}`) === false) set[`enable_${axis}`] = true;
		if (values(`auto_size_${axis}`) === true) set[`auto_size_${axis}`] = false;
	}
	return set;
}
function dragged(from, handle, dx, dy, input) {
	const [mx, my] = [Math.round(dx), Math.round(dy)];
	if (handle === "move") return {
		...from,
		x: clamp(from.x + mx, 0, input.width - from.width),
		y: clamp(from.y + my, 0, input.height - from.height)
	};
	const [x, width] = side(from.x, from.width, mx, handle.includes("w"), handle.includes("e"), input.width);
	const [y, height] = side(from.y, from.height, my, handle.includes("n"), handle.includes("s"), input.height);
	return {
		x,
		y,
		width,
		height
	};
}
function side(at, size, by, low, high, whole) {
	if (low) {
		const start = clamp(at + by, 0, at + size - 1);
		return [start, at + size - start];
	}
	return [at, high ? clamp(size + by, 1, whole - at) : size];
}
function between(x0, y0, x1, y1, input) {
	const [x, width] = interval(x0, x1, input.width);
	const [y, height] = interval(y0, y1, input.height);
	return {
		x,
		y,
		width,
		height
	};
}
function interval(a, b, whole) {
	const low = clamp(Math.floor(Math.min(a, b)), 0, whole - 1);
	return [low, clamp(Math.ceil(Math.max(a, b)), low + 1, whole) - low];
}
function drawnBy(all, chosen, input) {
	const free = all.filter(({ region }) => sameRegion(region, {
		x: 0,
		y: 0,
		...input
	}));
	const first = (some) => (some.find(({ name }) => name === chosen) ?? some[0])?.name;
	return first(free) ?? first(all) ?? null;
}
function clamp(value, low, high) {
	return Math.min(Math.max(value, low), Math.max(low, high));
}
var sameRegion = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
// src/model/regions.ts
var regionNodes = (source) => run.nodes.filter((node) => node.type === "roi" && run.inputOf(node.name) === source).map((node) => node.name);
function regionsOf(source, full) {
	return regionNodes(source).filter((name) => run.value(name, "min_x") !== void 0).map((name) => {
		const region = regionOf((param) => drafts.value(name, param), full);
		return {
			name,
			region,
			pending: !sameRegion(region, regionOf((param) => run.value(name, param), full))
		};
	});
}
var wishRegion = (name, region) => drafts.set(name, parametersOf(region, (param) => run.value(name, param)));
// src/parts/saveFile.ts
function saveFile(file, name) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(file);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
}
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
// src/picture/view.ts
var EXTREME = 8;
var MOST_ZOOM = 64;
function usualAxes({ width, height }) {
	return Math.max(width, height) >= EXTREME * Math.max(1, Math.min(width, height)) ? "own" : "equal";
}
function viewOf({ zoom, x, y, axes }, array, canvas) {
	const found = axes || usualAxes(array);
	return zoom === "fit" ? fitted(array, canvas, found) : kept({
		zoomX: zoom.x,
		zoomY: zoom.y,
		x,
		y
	}, array, canvas, found);
}
function fitted(array, canvas, axes = "equal") {
	const fit = (room, whole) => Math.max(1e-6, room / Math.max(1, whole));
	const [x, y] = [fit(canvas.width, array.width), fit(canvas.height, array.height)];
	const [zoomX, zoomY] = axes === "own" ? [x, y] : [Math.min(x, y), Math.min(x, y)];
	return {
		zoomX,
		zoomY,
		x: array.width / 2,
		y: array.height / 2
	};
}
var toArray = (view, canvas, x, y) => ({
	x: view.x + (x - canvas.width / 2) / view.zoomX,
	y: view.y + (y - canvas.height / 2) / view.zoomY
});
var toCanvas = (view, canvas, x, y) => ({
	x: (x - view.x) * view.zoomX + canvas.width / 2,
	y: (y - view.y) * view.zoomY + canvas.height / 2
});
function zoomedAt(view, canvas, x, y, across, down = across) {
	const at = toArray(view, canvas, x, y);
	const [zoomX, zoomY] = [view.zoomX * across, view.zoomY * down];
	return {
		zoomX,
		zoomY,
		x: at.x - (x - canvas.width / 2) / zoomX,
		y: at.y - (y - canvas.height / 2) / zoomY
	};
}
function kept(view, array, canvas, axes = "equal") {
	const fit = fitted(array, canvas, axes);
	const within = (zoom, fitting) => clamp(zoom, Math.min(1, fitting), Math.max(MOST_ZOOM, fitting));
	const zoomX = within(view.zoomX, fit.zoomX);
	const zoomY = axes === "own" ? within(view.zoomY, fit.zoomY) : zoomX;
	const keep = (at, whole, room, zoom) => {
		const seen = room / zoom;
		const middle = seen >= whole ? whole / 2 : clamp(at, seen / 2, whole - seen / 2);
		return (room / 2 - Math.round(room / 2 - middle * zoom)) / zoom;
	};
	return {
		zoomX,
		zoomY,
		x: keep(view.x, array.width, canvas.width, zoomX),
		y: keep(view.y, array.height, canvas.height, zoomY)
	};
}
function ticks(low, high, wanted) {
	const rough = (high - low) / Math.max(1, wanted);
	if (!(rough > 0) || !Number.isFinite(rough)) return [];
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * ([
		1,
		2,
		5,
		10
	].find((n) => n * power >= rough) ?? 10);
	const first = Math.ceil(low / step - 1e-9);
	const n = Math.floor(high / step + 1e-9) - first + 1;
	return Array.from({ length: Math.max(0, Math.min(n, 100)) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
// src/picture/Axis.svelte
var root$10 = from_svg(`<text x="34" class="svelte-1bn6v2h"> </text><path class="svelte-1bn6v2h"></path>`, 1);
var root_1$9 = from_svg(`<svg width="40" aria-hidden="true" class="svelte-1bn6v2h"></svg>`);
function Axis($$anchor, $$props) {
	push($$props, true);
	const marks = user_derived(() => {
		const top = toArray($$props.view, $$props.box, 0, 0).y;
		const bottom = toArray($$props.view, $$props.box, 0, $$props.box.height).y;
		return ticks(Math.max(0, top), bottom, Math.max(2, $$props.box.height / 90)).filter(Number.isInteger).map((row) => ({
			row,
			y: toCanvas($$props.view, $$props.box, 0, row).y
		})).filter(({ y }) => y >= -.5 && y <= $$props.box.height);
	});
	var svg = root_1$9();
	each(svg, 21, () => get(marks), ({ row, y }) => row, ($$anchor, $$item) => {
		let row = () => get($$item).row;
		let y = () => get($$item).y;
		var fragment = root$10();
		var text = first_child(fragment);
		var text_1 = only_child(text, true);
		var path = sibling(text);
		template_effect(($0) => {
			set_attribute(text, "y", $0);
			set_text(text_1, row());
			set_attribute(path, "d", `M37 ${y() ?? ""}h3`);
		}, [() => Math.min($$props.box.height - 2, Math.max(9, y() + 4))]);
		append($$anchor, fragment);
	});
	reset(svg);
	template_effect(() => set_attribute(svg, "height", $$props.box.height));
	append($$anchor, svg);
	pop();
}
new Float32Array(new Uint32Array(1).buffer);
function warp(value, scale) {
	if (scale === "linear") return value;
	const size = Math.abs(value);
	const warped = scale === "log" ? Math.log(1 + size) : Math.sqrt(size);
	return value < 0 ? -warped : warped;
}
function unwarp(warped, scale) {
	if (scale === "linear") return warped;
	const size = Math.abs(warped);
	const value = scale === "log" ? Math.exp(size) - 1 : size * size;
	return warped < 0 ? -value : value;
}
function placer(low, high, scale) {
	const from = warp(low, scale);
	const width = warp(high, scale) - from || 1;
	return (value) => Math.min(1, Math.max(0, (warp(value, scale) - from) / width));
}
// src/picture/maps.ts
var MAP_NAMES = [
	"ice",
	"grey",
	"inverse",
	"viridis",
	"inferno",
	"spectrum"
];
var MAP_TITLES = {
	ice: "Ice",
	grey: "Grey",
	inverse: "Grey inverse",
	viridis: "Viridis",
	inferno: "Inferno",
	spectrum: "Spectrum"
};
var even = (...colours) => colours.map((c, i) => [
	i / (colours.length - 1),
	c >> 16,
	c >> 8 & 255,
	c & 255
]);
var STOPS = {
	ice: [
		[
			0,
			6,
			9,
			18
		],
		[
			.18,
			16,
			33,
			58
		],
		[
			.36,
			22,
			66,
			98
		],
		[
			.54,
			41,
			112,
			138
		],
		[
			.7,
			92,
			160,
			170
		],
		[
			.84,
			170,
			208,
			200
		],
		[
			.94,
			228,
			236,
			214
		],
		[
			1,
			255,
			252,
			238
		]
	],
	grey: even(0, 16777215),
	inverse: even(16777215, 0),
	viridis: even(4456788, 4664699, 3887755, 2912910, 2199948, 2666112, 6211938, 11394096, 16639781),
	inferno: even(4, 2165834, 5705838, 9052778, 12334932, 14965297, 16354825, 16370485, 16580516),
	spectrum: even(3150395, 4612823, 3582713, 1762486, 7536222, 13168436, 16431673, 16149273, 13314564, 7996419)
};
function colours(name) {
	const stops = STOPS[name];
	const table = new Uint8Array(1024);
	for (let i = 0; i < 256; i++) table.set([...colourAt(stops, i / 255), 255], i * 4);
	return table;
}
function colourAt(stops, at) {
	const next = Math.max(1, stops.findIndex((stop) => stop[0] >= at));
	const [a, b] = [stops[next - 1], stops[next]];
	const part = Math.min(1, Math.max(0, (at - a[0]) / (b[0] - a[0])));
	const mix = (k) => Math.round(a[k] + (b[k] - a[k]) * part);
	return [
		mix(1),
		mix(2),
		mix(3)
	];
}
function gradient(name, angle = "90deg") {
	return `linear-gradient(${angle}, ${STOPS[name].map(([at, r, g, b]) => `rgb(${r} ${g} ${b}) ${(at * 100).toFixed(1)}%`).join(", ")})`;
}
// src/model/line.ts
var lengthOf = ({ x0, y0, x1, y1 }) => Math.hypot(x1 - x0, y1 - y0);
function readLine(text) {
	const numbers = text.split(",").map((part) => part === "" ? NaN : Number(part));
	const [x0, y0, x1, y1] = numbers;
	return numbers.length === 4 && numbers.every(Number.isFinite) ? {
		x0,
		y0,
		x1,
		y1
	} : null;
}
var writeLine = ({ x0, y0, x1, y1 }) => [
	x0,
	y0,
	x1,
	y1
].map((n) => Math.round(n)).join(",");
function summary(values) {
	let [min, max, sum, n] = [
		Infinity,
		-Infinity,
		0,
		0
	];
	for (const value of values) {
		if (Number.isNaN(value)) continue;
		min = Math.min(min, value);
		max = Math.max(max, value);
		sum += value;
		n++;
	}
	return n > 0 ? {
		min,
		max,
		mean: sum / n
	} : null;
}
// src/picture/settings.svelte.ts
var PERCENT_LOW = .5;
var PERCENT_HIGH = 99.8;
var KEYS = [
	"view",
	"scale",
	"map",
	"range",
	"percent",
	"zoom",
	"axes",
	"line"
];
var isAuto = (contrast) => "percentLow" in contrast;
var Shown = class {
	slot;
	constructor(slot = "") {
		this.slot = slot;
	}
	get(key) {
		return place.get(key + this.slot);
	}
	set(change) {
		place.set(Object.fromEntries(Object.entries(change).map(([key, value]) => [key + this.slot, value])));
	}
	choose(view) {
		this.set({
			view,
			zoom: "",
			range: "",
			axes: ""
		});
	}
	clear() {
		this.set(Object.fromEntries(KEYS.map((key) => [key, ""])));
	}
	get scale() {
		const text = this.get("scale");
		return text === "log" || text === "root" ? text : "linear";
	}
	set scale(scale) {
		this.set({ scale: scale === "linear" ? "" : scale });
	}
	get map() {
		return MAP_NAMES.find((name) => name === this.get("map")) ?? "ice";
	}
	set map(map) {
		this.set({ map: map === "ice" ? "" : map });
	}
	get contrast() {
		const [low, high] = this.get("range").split("..").map(Number);
		if (this.get("range") && Number.isFinite(low) && Number.isFinite(high)) return {
			low,
			high
		};
		const [percentLow = PERCENT_LOW, percentHigh = PERCENT_HIGH] = this.get("percent").split("..").filter(Boolean).map(Number);
		return {
			percentLow,
			percentHigh
		};
	}
	set contrast(contrast) {
		const number = (n) => String(Number(n.toPrecision(6)));
		if (!isAuto(contrast)) {
			this.set({
				range: `${number(contrast.low)}..${number(contrast.high)}`,
				percent: ""
			});
			return;
		}
		const usual = contrast.percentLow === .5 && contrast.percentHigh === 99.8;
		this.set({
			range: "",
			percent: usual ? "" : `${contrast.percentLow}..${contrast.percentHigh}`
		});
	}
	get axes() {
		const text = this.get("axes");
		return text === "own" || text === "equal" ? text : "";
	}
	set axes(axes) {
		this.set({
			axes,
			zoom: ""
		});
	}
	get sight() {
		const { axes } = this;
		const [zoom, x = 0, y = 0, down = zoom] = this.get("zoom").split(",").map(Number);
		const isZoom = (n) => n !== void 0 && Number.isFinite(n) && n > 0;
		return isZoom(zoom) && isZoom(down) ? {
			zoom: {
				x: zoom,
				y: down
			},
			x,
			y,
			axes
		} : {
			zoom: "fit",
			x: 0,
			y: 0,
			axes
		};
	}
	set sight({ zoom, x, y }) {
		const number = (n) => String(Number(n.toPrecision(5)));
		const text = ({ x: across, y: down }) => `${number(across)},${x.toFixed(1)},${y.toFixed(1)}${down === across ? "" : `,${number(down)}`}`;
		this.set({ zoom: zoom === "fit" ? "" : text(zoom) });
	}
	get line() {
		return readLine(this.get("line"));
	}
	set line(line) {
		this.set({ line: line ? writeLine(line) : "" });
	}
};
var KEY = Symbol("shown");
var provideShown = (slot) => setContext(KEY, new Shown(slot));
var shownHere = () => getContext(KEY);
// src/picture/pen.ts
function penOn(canvas, width, height) {
	const [w, h] = [Math.max(1, Math.floor(width)), Math.max(1, Math.floor(height))];
	if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
	const pen = canvas.getContext("2d");
	pen.setTransform(1, 0, 0, 1, 0, 0);
	pen.globalAlpha = 1;
	pen.clearRect(0, 0, w, h);
	return pen;
}
// src/picture/HistogramBar.svelte
var root$9 = from_html(`<div role="slider" tabindex="0"><span> </span></div>`);
var root_1$8 = from_svg(`<text y="12" class="svelte-1wt8poz"> </text>`);
var root_2$7 = from_html(`<div class="histogram svelte-1wt8poz"><canvas class="svelte-1wt8poz"></canvas> <!> <svg width="100%" height="16" aria-hidden="true" class="svelte-1wt8poz"></svg></div>`);
function HistogramBar($$anchor, $$props) {
	push($$props, true);
	const shown = shownHere();
	let canvas;
	let width = state(1);
	const HEIGHT = 50;
	const from = user_derived(() => warp($$props.info?.min ?? 0, shown.scale));
	const wide = user_derived(() => warp($$props.info?.max ?? 1, shown.scale) - get(from) || 1);
	const placeOf = (value) => clamp((warp(value, shown.scale) - get(from)) / get(wide), 0, 1) * get(width);
	const valueAt = (x) => unwarp(get(from) + clamp(x, 0, get(width)) / get(width) * get(wide), shown.scale);
	const contrast = user_derived(() => shown.contrast);
	const handles = user_derived(() => $$props.info ? [{
		key: "low",
		value: $$props.info.low,
		text: isAuto(get(contrast)) ? `${get(contrast).percentLow} %` : short($$props.info.low)
	}, {
		key: "high",
		value: $$props.info.high,
		text: isAuto(get(contrast)) ? `${get(contrast).percentHigh} %` : short($$props.info.high)
	}] : []);
	const marks = user_derived(() => {
		if (!$$props.info || get(width) < 40) return [];
		const wanted = Math.max(4, get(width) / 80);
		if (shown.scale === "linear") return ticks($$props.info.min, $$props.info.max, wanted).map((value) => ({
			value,
			x: placeOf(value)
		}));
		const powers = [
			0,
			1,
			2,
			5
		].flatMap((n) => [
			0,
			1,
			2,
			3,
			4,
			5,
			6,
			7,
			8,
			9
		].map((power) => n * 10 ** power));
		let last = -Infinity;
		return [...new Set(powers)].sort((a, b) => a - b).filter((value) => value >= $$props.info.min && value <= $$props.info.max).map((value) => ({
			value,
			x: placeOf(value)
		})).filter(({ x }) => x - last < 44 ? false : (last = x, true));
	});
	const inks = user_derived(() => {
		themed.count;
		const [table, dim] = [colours(shown.map), rgb("--dim")];
		const part = (i, k) => Math.round(.82 * table[4 * i + k] + .18 * dim[k]);
		return Array.from({ length: 256 }, (_, i) => `rgb(${part(i, 0)} ${part(i, 1)} ${part(i, 2)})`);
	});
	user_effect(() => {
		themed.count;
		const density = devicePixelRatio || 1;
		const pen = penOn(canvas, Math.round(get(width) * density), HEIGHT * density);
		if (!$$props.info) return;
		pen.setTransform(density, 0, 0, density, 0, 0);
		const { bars } = $$props.info;
		const most = Math.log(1 + Math.max(...bars));
		const one = get(width) / bars.length;
		const [low, high] = [warp($$props.info.low, shown.scale), warp($$props.info.high, shown.scale)];
		bars.forEach((n, i) => {
			if (n === 0) return;
			const height = Math.max(1.5, Math.log(1 + n) / most * 46);
			const place = (get(from) + (i + .5) / bars.length * get(wide) - low) / (high - low || 1);
			pen.fillStyle = place < 0 || place > 1 ? colour("--line2") : get(inks)[Math.round(place * 255)];
			pen.fillRect(i * one, HEIGHT - height, Math.max(1, one > 3 ? one - 1 : one), height);
		});
	});
	function change(key, value) {
		if (!$$props.info) return;
		const [low, high] = key === "low" ? [value, $$props.info.high] : [$$props.info.low, value];
		if (low < high) shown.contrast = {
			low,
			high
		};
	}
	function pull(event, key) {
		const handle = event.currentTarget;
		if (!handle.hasPointerCapture(event.pointerId)) return;
		change(key, valueAt(event.clientX - handle.parentElement.getBoundingClientRect().left));
	}
	function nudge(event, key, value) {
		const by = {
			ArrowLeft: -1,
			ArrowRight: 1,
			ArrowDown: -1,
			ArrowUp: 1
		}[event.key];
		if (by === void 0) return;
		event.preventDefault();
		event.stopPropagation();
		change(key, valueAt(placeOf(value) + by * (event.shiftKey ? 20 : 3)));
	}
	var div = root_2$7();
	var canvas_1 = child(div);
	set_style(canvas_1, "", {}, { height: "50px" });
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node = sibling(canvas_1, 2);
	each(node, 17, () => get(handles), ({ key, value, text }) => key, ($$anchor, $$item) => {
		let key = () => get($$item).key;
		let value = () => get($$item).value;
		let text = () => get($$item).text;
		var div_1 = root$9();
		let styles;
		var span = child(div_1);
		let classes;
		var text_1 = only_child(span, true);
		reset(div_1);
		template_effect(($0, $1, $2) => {
			set_class(div_1, 1, `handle ${key() ?? ""}`, "svelte-1wt8poz");
			set_attribute(div_1, "aria-label", key() === "low" ? "Darkest value" : "Brightest value");
			set_attribute(div_1, "aria-valuenow", value());
			set_attribute(div_1, "aria-valuemin", $$props.info?.min);
			set_attribute(div_1, "aria-valuemax", $$props.info?.max);
			set_attribute(div_1, "aria-valuetext", $0);
			styles = set_style(div_1, "", styles, { left: $1 });
			classes = set_class(span, 1, "svelte-1wt8poz", null, classes, { left: $2 });
			set_text(text_1, text());
		}, [
			() => short(value()),
			() => `${placeOf(value()) ?? ""}px`,
			() => placeOf(value()) > get(width) - 60
		]);
		delegated("pointerdown", div_1, (event) => event.currentTarget.setPointerCapture(event.pointerId));
		delegated("pointermove", div_1, (event) => pull(event, key()));
		delegated("keydown", div_1, (event) => nudge(event, key(), value()));
		append($$anchor, div_1);
	});
	var svg = sibling(node, 2);
	each(svg, 21, () => get(marks), ({ value, x }) => value, ($$anchor, $$item) => {
		let value = () => get($$item).value;
		let x = () => get($$item).x;
		var text_2 = root_1$8();
		var text_3 = only_child(text_2, true);
		template_effect(($0, $1) => {
			set_attribute(text_2, "x", $0);
			set_text(text_3, $1);
		}, [() => clamp(x(), 8, get(width) - 14), () => short(value(), 3)]);
		append($$anchor, text_2);
	});
	reset(svg);
	reset(div);
	template_effect(($0) => set_attribute(canvas_1, "aria-label", $0), [() => $$props.info ? `Histogram from ${short($$props.info.min)} to ${short($$props.info.max)}` : "Histogram"]);
	bind_element_size(div, "clientWidth", ($$value) => set(width, $$value));
	append($$anchor, div);
	pop();
}
delegate([
	"pointerdown",
	"pointermove",
	"keydown"
]);
// src/picture/Profile.svelte
var root$8 = from_html(`<canvas class="svelte-1f1y5m7"></canvas>`);
function Profile($$anchor, $$props) {
	push($$props, true);
	let upright = prop($$props, "upright", 3, false);
	const shown = shownHere();
	let canvas;
	let wide = state(1);
	let tall = state(1);
	user_effect(() => {
		themed.count;
		draw(canvas, $$props.values, shown.scale);
	});
	function draw(canvas, values, scale) {
		const density = devicePixelRatio || 1;
		const [long, high] = upright() ? [$$props.box.height, get(wide)] : [$$props.box.width, get(tall)];
		const [width, height] = upright() ? [high, long] : [long, high];
		const pen = penOn(canvas, width * density, height * density);
		pen.setTransform(density, 0, 0, density, 0, 0);
		if (!values || values.length === 0) return;
		let [low, top] = [Infinity, -Infinity];
		for (const value of values) {
			if (value < low) low = value;
			if (value > top) top = value;
		}
		if (!(low < Infinity)) return;
		const up = placer(Math.min(0, low), Math.max(top, low + 1), scale);
		const edge = (i) => {
			const place = toCanvas($$props.view, $$props.box, $$props.x0 + i * $$props.step, $$props.x0 + i * $$props.step);
			return upright() ? place.y : place.x;
		};
		const first = Math.max(0, Math.floor((at0() - $$props.x0) / $$props.step));
		const last = Math.min(values.length - 1, Math.ceil((at1() - $$props.x0) / $$props.step));
		pen.beginPath();
		for (let i = first; i <= last; i++) {
			const size = 2 + up(values[i]) * (high - 6);
			for (const along of [edge(i), edge(i + 1)]) upright() ? pen.lineTo(size, along) : pen.lineTo(along, high - size);
		}
		pen.strokeStyle = colour("--s1");
		pen.lineWidth = 1.1;
		pen.stroke();
		const [a, b] = [edge(first), edge(last + 1)];
		if (upright()) pen.lineTo(0, b), pen.lineTo(0, a);
		else pen.lineTo(b, high), pen.lineTo(a, high);
		pen.globalAlpha = .1;
		pen.fillStyle = colour("--s1");
		pen.fill();
	}
	const at0 = () => upright() ? $$props.view.y - $$props.box.height / 2 / $$props.view.zoomY : $$props.view.x - $$props.box.width / 2 / $$props.view.zoomX;
	const at1 = () => upright() ? $$props.view.y + $$props.box.height / 2 / $$props.view.zoomY : $$props.view.x + $$props.box.width / 2 / $$props.view.zoomX;
	var canvas_1 = root$8();
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	template_effect(() => set_attribute(canvas_1, "aria-label", `${upright() ? "Column" : "Row"} through the cross-hair${$$props.at === null ? "" : ` at ${$$props.at}`}`));
	bind_element_size(canvas_1, "clientWidth", ($$value) => set(wide, $$value));
	bind_element_size(canvas_1, "clientHeight", ($$value) => set(tall, $$value));
	append($$anchor, canvas_1);
	pop();
}
// src/picture/Tools.svelte
var root$7 = from_html(`<option> </option>`);
var root_1$7 = from_html(`<select aria-label="Output that is shown" class="svelte-k05he9"></select>`);
var root_2$6 = from_html(`<span class="faint size svelte-k05he9"> </span>`);
var root_3$5 = from_html(`<div class="seg svelte-k05he9" role="group" aria-label="Live or held"><button type="button" class="svelte-k05he9">Live</button> <button type="button" class="svelte-k05he9">Hold</button></div>`);
var root_4$4 = from_html(`<button type="button" class="svelte-k05he9"> </button>`);
var root_5$2 = from_html(`<button type="button" class="svelte-k05he9">Region</button>`);
var root_6$1 = from_html(`<button type="button" title="Mask of bad pixels (m)" class="svelte-k05he9">Mask</button>`);
var root_7$1 = from_html(`<button type="button" class="svelte-k05he9"><svg viewBox="0 0 16 16" aria-hidden="true" class="svelte-k05he9"><path></path></svg></button>`);
var root_8$1 = from_html(`<div class="tools svelte-k05he9"><!> <!> <!> <div class="seg svelte-k05he9" role="group" aria-label="Scale"></div> <label class="map svelte-k05he9"><i class="svelte-k05he9"></i><span class="quiet">Colours</span> <select class="svelte-k05he9"></select></label> <button type="button" class="one svelte-k05he9" title="Contrast by percentiles of what is shown">Auto <span class="percent svelte-k05he9"> </span></button> <span class="space svelte-k05he9"></span> <div class="seg svelte-k05he9" role="group" aria-label="Draw"><!> <button type="button" title="Values along a line (l)" class="svelte-k05he9">Line</button> <!></div> <div class="seg svelte-k05he9" role="group" aria-label="Zoom"><button type="button" class="svelte-k05he9">Fit</button> <button type="button" class="svelte-k05he9">1:1</button> <button type="button" class="svelte-k05he9">4×</button> <button type="button" title="Each axis has a scale of its own: the picture fills its place (wheel with Shift: across, with Alt: down)" class="svelte-k05he9">Stretch</button></div> <div class="seg icons svelte-k05he9" role="group" aria-label="Picture"><button type="button" title="Save this picture" aria-label="Save" class="svelte-k05he9"><svg viewBox="0 0 16 16" aria-hidden="true" class="svelte-k05he9"><path d="M8 2v8M5 7l3 3 3-3M3 13h10"></path></svg></button> <!> <button type="button" title="Fill the window (f)" aria-label="Fill the window" class="svelte-k05he9"><svg viewBox="0 0 16 16" aria-hidden="true" class="svelte-k05he9"><path d="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3"></path></svg></button></div></div>`);
function Tools($$anchor, $$props) {
	push($$props, true);
	let hold = prop($$props, "hold", 15), tool = prop($$props, "tool", 15), saving = prop($$props, "saving", 15);
	const shown = shownHere();
	const SCALES = [
		[
			"linear",
			"Lin",
			"Linear"
		],
		[
			"log",
			"Log",
			"Logarithm of 1 + counts"
		],
		[
			"root",
			"√",
			"Root of the counts"
		]
	];
	const outputs = user_derived(() => run.nodes.flatMap((node) => node.outputs.filter((output) => output.kinds.includes("array")).map((output) => output.name)));
	const contrast = user_derived(() => shown.contrast);
	const auto = user_derived(() => isAuto(get(contrast)));
	const fits = user_derived(() => shown.sight.zoom === "fit");
	const why = user_derived(() => run.mayWrite ? `No node \`roi\` takes ${$$props.source}: choose another output, connect one, or add one to the pipeline file` : "Who draws a region changes the run: open the link with the token");
	const percent = user_derived(() => [$$props.view.zoomX, $$props.view.zoomY].slice(0, $$props.axes === "own" ? 2 : 1).map((zoom) => `${short(zoom * 100, zoom < .1 ? 2 : 3)} %`).join(" × "));
	const isZoom = (zoom) => !get(fits) && Math.abs($$props.view.zoomX - zoom) < .001 && Math.abs($$props.view.zoomY - zoom) < .001;
	const beside = new Shown("2");
	const isTwo = user_derived(() => place.get("view2") !== "");
	function turnBeside() {
		if (get(isTwo)) return beside.clear();
		beside.choose(get(outputs)[get(outputs).indexOf($$props.source) + 1] ?? get(outputs).find((output) => output !== $$props.source) ?? $$props.source);
	}
	function turnAuto() {
		shown.contrast = get(auto) ? {
			low: $$props.info?.low ?? 0,
			high: $$props.info?.high ?? 1
		} : {
			percentLow: PERCENT_LOW,
			percentHigh: PERCENT_HIGH
		};
	}
	var div = root_8$1();
	var node_1 = child(div);
	var consequent = ($$anchor) => {
		var select = root_1$7();
		each(select, 20, () => get(outputs), (output) => output, ($$anchor, output) => {
			var option = root$7();
			var text = only_child(option, true);
			var option_value = {};
			template_effect(($0) => {
				set_text(text, $0);
				if (option_value !== (option_value = output)) option.value = (option.__value = option_value) ?? "";
			}, [() => output.replace(".", " ▸ ")]);
			append($$anchor, option);
		});
		reset(select);
		var select_value;
		init_select(select);
		template_effect(() => {
			if (select_value !== (select_value = $$props.source)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		});
		delegated("change", select, (e) => shown.choose(e.currentTarget.value));
		append($$anchor, select);
	};
	if_block(node_1, ($$render) => {
		if (!$$props.still) $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_1 = ($$anchor) => {
		var span = root_2$6();
		var text_1 = only_child(span);
		template_effect(() => set_text(text_1, `${$$props.info.full.width ?? ""} × ${$$props.info.full.height ?? ""} ${$$props.info.dtype ?? ""}${$$props.info.colours === 3 ? " rgb" : ""} · ${get(percent) ?? ""}`));
		append($$anchor, span);
	};
	if_block(node_2, ($$render) => {
		if ($$props.info) $$render(consequent_1);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_2 = ($$anchor) => {
		var div_1 = root_3$5();
		var button = child(div_1);
		var button_1 = sibling(button, 2);
		reset(div_1);
		template_effect(() => {
			set_attribute(button, "aria-pressed", !hold());
			set_attribute(button_1, "aria-pressed", hold());
		});
		delegated("click", button, () => hold(false));
		delegated("click", button_1, () => hold(true));
		append($$anchor, div_1);
	};
	if_block(node_3, ($$render) => {
		if (!$$props.still) $$render(consequent_2);
	});
	var div_2 = sibling(node_3, 2);
	each(div_2, 21, () => SCALES, ([scale, title, hint]) => scale, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 3));
		let scale = () => get($$array)[0];
		let title = () => get($$array)[1];
		let hint = () => get($$array)[2];
		var button_2 = root_4$4();
		var text_2 = only_child(button_2, true);
		template_effect(() => {
			set_attribute(button_2, "title", hint());
			set_attribute(button_2, "aria-pressed", shown.scale === scale());
			set_text(text_2, title());
		});
		delegated("click", button_2, () => shown.scale = scale());
		append($$anchor, button_2);
	});
	reset(div_2);
	var label = sibling(div_2, 2);
	var i = child(label);
	let styles;
	var select_1 = sibling(i, 3);
	each(select_1, 20, () => MAP_NAMES, (name) => name, ($$anchor, name) => {
		var option_1 = root$7();
		var text_3 = only_child(option_1, true);
		var option_1_value = {};
		template_effect(() => {
			set_text(text_3, MAP_TITLES[name]);
			if (option_1_value !== (option_1_value = name)) option_1.value = (option_1.__value = option_1_value) ?? "";
		});
		append($$anchor, option_1);
	});
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	reset(label);
	var button_3 = sibling(label, 2);
	var text_4 = only_child(sibling(child(button_3)), true);
	reset(button_3);
	var div_3 = sibling(button_3, 4);
	var node_4 = child(div_3);
	var consequent_3 = ($$anchor) => {
		var button_4 = root_5$2();
		template_effect(() => {
			set_attribute(button_4, "aria-pressed", tool() === "region");
			button_4.disabled = !$$props.target;
			set_attribute(button_4, "title", $$props.target ? `Draw the region of ${$$props.target} (r)` : get(why));
		});
		delegated("click", button_4, () => tool(tool() === "region" ? "" : "region"));
		append($$anchor, button_4);
	};
	if_block(node_4, ($$render) => {
		if (!$$props.still) $$render(consequent_3);
	});
	var button_5 = sibling(node_4, 2);
	var node_5 = sibling(button_5, 2);
	var consequent_4 = ($$anchor) => {
		var button_6 = root_6$1();
		template_effect(() => {
			set_attribute(button_6, "aria-pressed", tool() === "mask");
			button_6.disabled = !$$props.info;
		});
		delegated("click", button_6, () => tool(tool() === "mask" ? "" : "mask"));
		append($$anchor, button_6);
	};
	if_block(node_5, ($$render) => {
		if (!$$props.still) $$render(consequent_4);
	});
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var button_7 = child(div_4);
	var button_8 = sibling(button_7, 2);
	var button_9 = sibling(button_8, 2);
	var button_10 = sibling(button_9, 2);
	reset(div_4);
	var div_5 = sibling(div_4, 2);
	var button_11 = child(div_5);
	var node_6 = sibling(button_11, 2);
	var consequent_5 = ($$anchor) => {
		var button_12 = root_7$1();
		var path = only_child(child(button_12));
		reset(button_12);
		template_effect(() => {
			set_attribute(button_12, "aria-pressed", get(isTwo));
			set_attribute(button_12, "aria-label", shown.slot ? "Close this picture" : "Another output beside it");
			set_attribute(button_12, "title", shown.slot ? "Close this picture" : get(isTwo) ? "Only this picture" : "Another output beside this one");
			set_attribute(path, "d", shown.slot ? "M4 4l8 8M12 4l-8 8" : "M2 3h12v10H2zM8 3v10");
		});
		delegated("click", button_12, turnBeside);
		append($$anchor, button_12);
	};
	if_block(node_6, ($$render) => {
		if (!$$props.still) $$render(consequent_5);
	});
	var button_13 = sibling(node_6, 2);
	reset(div_5);
	reset(div);
	template_effect(($0, $1, $2, $3, $4) => {
		styles = set_style(i, "", styles, { background: $0 });
		if (select_1_value !== (select_1_value = shown.map)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		set_attribute(button_3, "aria-pressed", get(auto));
		set_text(text_4, $1);
		set_attribute(button_5, "aria-pressed", tool() === "line");
		button_5.disabled = !$$props.info;
		set_attribute(button_7, "aria-pressed", get(fits));
		set_attribute(button_8, "aria-pressed", $2);
		set_attribute(button_9, "aria-pressed", $3);
		set_attribute(button_10, "aria-pressed", $$props.axes === "own");
		set_attribute(button_11, "aria-pressed", saving());
		button_11.disabled = !$$props.info;
		set_attribute(button_13, "aria-pressed", $4);
	}, [
		() => gradient(shown.map),
		() => isAuto(get(contrast)) ? `${get(contrast).percentLow}–${get(contrast).percentHigh} %` : "contrast",
		() => isZoom(1),
		() => isZoom(4),
		() => isFull()
	]);
	delegated("change", select_1, (e) => shown.map = e.currentTarget.value);
	delegated("click", button_3, turnAuto);
	delegated("click", button_5, () => tool(tool() === "line" ? "" : "line"));
	delegated("click", button_7, function(...$$args) {
		$$props.fit?.apply(this, $$args);
	});
	delegated("click", button_8, () => $$props.setZoom(1));
	delegated("click", button_9, () => $$props.setZoom(4));
	delegated("click", button_10, () => shown.axes = $$props.axes === "own" ? "equal" : "own");
	delegated("click", button_11, () => saving(!saving()));
	delegated("click", button_13, function(...$$args) {
		turnFull?.apply(this, $$args);
	});
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/picture/worker.ts?worker
function WorkerWrapper(options) {
	return new Worker(new URL("worker.js", import.meta.url).href, {
		type: "module",
		name: options?.name
	});
}
// src/picture/start.ts
var LATEST_MS = 1500;
var said = () => {};
var pictured = new Promise((done) => {
	said = done;
	setTimeout(done, LATEST_MS);
});
var isPictured = () => said();
var ready = new WorkerWrapper();
var firstPicture = () => run.nodes.flatMap((node) => node.outputs).find((output) => output.kinds.includes("array"))?.name ?? "";
function lookAhead() {
	const from = place.get("view") || firstPicture();
	if (place.screen !== "live" || !from) return;
	const fit = [innerWidth * devicePixelRatio, innerHeight * devicePixelRatio];
	ready?.postMessage({
		kind: "ahead",
		base: base(),
		from,
		fit
	});
}
function pictureWorker() {
	const made = ready ?? new WorkerWrapper();
	ready = null;
	return made;
}
// \0vite/preload-helper.js
var scriptRel = (function detectScriptRel() {
	const relList = typeof document !== "undefined" && document.createElement("link").relList;
	return relList && relList.supports && relList.supports("modulepreload") ? "modulepreload" : "preload";
})();
var assetsURL = function(dep, importerUrl) {
	return new URL(dep, importerUrl).href;
};
var seen = {};
var isCssPreloadUrl = function isCssPreloadUrl(url) {
	return url.pathname.endsWith(".css");
};
var preloadOnce = function preloadOnce(seen, href, preload) {
	if (href in seen) return seen[href];
	const promise = preload();
	if (!promise) {
		seen[href] = void 0;
		return;
	}
	const preloadPromise = promise.then(() => {
		seen[href] = void 0;
	}, (err) => {
		seen[href] = void 0;
		throw err;
	});
	seen[href] = preloadPromise;
	return preloadPromise;
};
var __vitePreload = function preload(baseModule, deps, importerUrl) {
	let promise = Promise.resolve();
	if (deps && deps.length > 0) {
		let preloadedHrefs;
		const cspNonceMeta = document.querySelector("meta[property=csp-nonce]");
		const cspNonce = cspNonceMeta?.nonce || cspNonceMeta?.getAttribute("nonce");
		function allSettled(promises) {
			return Promise.all(promises.map((p) => Promise.resolve(p).then((value) => ({
				status: "fulfilled",
				value
			}), (reason) => ({
				status: "rejected",
				reason
			}))));
		}
		function importMetaResolve(specifier) {
			if (import.meta.resolve) return new URL(import.meta.resolve(specifier));
			return new URL(specifier, import.meta.url);
		}
		promise = allSettled(deps.map((depString) => {
			depString = assetsURL(depString, importerUrl);
			const dep = importMetaResolve(depString);
			const isCss = isCssPreloadUrl(dep);
			return preloadOnce(seen, dep.href, () => {
				if (preloadedHrefs === void 0) {
					preloadedHrefs = {
						all: new Set(),
						styles: new Set()
					};
					const links = document.getElementsByTagName("link");
					for (let i = links.length - 1; i >= 0; i--) {
						const link = links[i];
						preloadedHrefs.all.add(link.href);
						if (link.rel === "stylesheet") preloadedHrefs.styles.add(link.href);
					}
				}
				if ((isCss ? preloadedHrefs.styles : preloadedHrefs.all).has(dep.href)) return;
				const link = document.createElement("link");
				link.rel = isCss ? "stylesheet" : scriptRel;
				if (!isCss) link.as = "script";
				link.crossOrigin = "";
				link.href = dep.href;
				if (cspNonce) link.setAttribute("nonce", cspNonce);
				document.head.appendChild(link);
				if (isCss) return new Promise((res, rej) => {
					const handleSettle = (e) => {
						link.removeEventListener("load", handleSettle);
						link.removeEventListener("error", handleSettle);
						if (e.type === "error") rej(new Error(`Unable to preload CSS for ${dep}`));
						else res(e);
					};
					link.addEventListener("load", handleSettle);
					link.addEventListener("error", handleSettle);
				});
			});
		}).filter((p) => p !== void 0));
	}
	function handlePreloadError(err) {
		const e = new Event("vite:preloadError", { cancelable: true });
		e.payload = err;
		window.dispatchEvent(e);
		if (!e.defaultPrevented) throw err;
	}
	return promise.then((res) => {
		for (const item of res || []) {
			if (item.status !== "rejected") continue;
			handlePreloadError(item.reason);
		}
		return baseModule().catch(handlePreloadError);
	});
};
// src/picture/Picture.svelte
var pictures = [];
var root$6 = from_html(`<span>x <b class="svelte-1hbwdai"> </b>&ensp;y <b class="svelte-1hbwdai"> </b></span> <strong data-testid="value" class="svelte-1hbwdai"> </strong> <small> </small>`, 1);
var root_1$6 = from_svg(`<path></path><circle r="6"></circle>`, 1);
var root_2$5 = from_svg(`<svg class="cross svelte-1hbwdai" aria-hidden="true"></svg>`);
var root_3$4 = from_html(`<div><!></div>`);
var root_4$3 = from_html(`<!> <!>`, 1);
var root_5$1 = from_html(`<p class="message svelte-1hbwdai" role="alert"> </p>`);
var root_6 = from_html(`<p class="message svelte-1hbwdai"> </p>`);
var root_7 = from_html(`<p class="message low svelte-1hbwdai"> </p>`);
var root_8 = from_html(`<p class="message low svelte-1hbwdai" role="status"> </p>`);
var root_9 = from_html(`<p class="message low svelte-1hbwdai">Held. What is shown stays until you press Live.</p>`);
var root_10 = from_html(`<div class="lines svelte-1hbwdai"><!></div>`);
var root_11 = from_html(`<span class="warn"> </span>`);
var root_12 = from_html(`<span><b class="svelte-1hbwdai"> </b> to <b class="svelte-1hbwdai"> </b></span> <span>mean <b class="svelte-1hbwdai"> </b></span> <span> </span> <!> <span> </span>`, 1);
var root_13 = from_html(`<section class="picture svelte-1hbwdai"><!> <!> <!> <div><div class="along svelte-1hbwdai"><!></div> <div class="readout svelte-1hbwdai" role="status" aria-live="off"><!></div> <div><!></div> <div class="room svelte-1hbwdai"><div class="whole svelte-1hbwdai" role="presentation"><div role="application" aria-roledescription="picture" tabindex="0"><canvas data-testid="picture"></canvas> <!></div> <!> <!> <!> <!></div></div> <div class="down svelte-1hbwdai"><!></div> <!> <div class="bars svelte-1hbwdai"><!></div> <div class="numbers dim svelte-1hbwdai"><!></div></div></section>`);
function Picture($$anchor, $$props) {
	push($$props, true);
	let chosen = prop($$props, "chosen", 3, ""), choose = prop($$props, "choose", 3, () => {}), title = prop($$props, "title", 3, ""), slot = prop($$props, "slot", 3, "");
	const shown = provideShown(untrack(() => slot()));
	const me = Symbol();
	let worker = null;
	let started = state(false);
	let canvas;
	let stage;
	let whole;
	let box = state(proxy({
		width: 1,
		height: 1
	}));
	let shift = state(proxy({
		x: 0,
		y: 0
	}));
	let info = state(null);
	let sequence = state("");
	let cross = state(null);
	let problem = state("");
	let hold = state(false);
	let pinned = state(null);
	let hovered = state(null);
	let density = state(proxy(devicePixelRatio || 1));
	let tool = state("");
	let saving = state(false);
	let anchor = state(null);
	let lineValues = state(null);
	let aim = state(null);
	let isDrawn = false;
	const still = user_derived(() => isStill($$props.source));
	const name = user_derived(() => get(still) ? title() : $$props.source);
	const detector = user_derived(() => detectorOf($$props.source));
	const full = user_derived(() => get(info)?.full ?? {
		width: 1,
		height: 1
	});
	const axes = user_derived(() => shown.axes || usualAxes(get(full)));
	const view = user_derived(() => viewOf(shown.sight, get(full), get(box)));
	const at = user_derived(() => get(hovered) ?? get(pinned) ?? (get(info) ? {
		x: Math.floor(get(full).width / 2),
		y: Math.floor(get(full).height / 2)
	} : null));
	const crossPlace = user_derived(() => get(at) ? toCanvas(get(view), get(box), get(at).x + .5, get(at).y + .5) : null);
	const line = user_derived(() => shown.line);
	const target = user_derived(() => get(info) && !get(still) && run.mayWrite ? drawnBy(regionsOf($$props.source, get(full)), chosen(), get(full)) : null);
	const inside = user_derived(() => get(crossPlace) && get(crossPlace).x >= 0 && get(crossPlace).y >= 0 && get(crossPlace).x <= get(box).width && get(crossPlace).y <= get(box).height);
	onMount(() => {
		const made = pictureWorker();
		made.onmessage = (event) => take(event.data);
		made.onerror = (event) => set(problem, event.message || "the picture stopped working", true);
		const offscreen = canvas.transferControlToOffscreen();
		worker = made;
		const drawing = ["webgl", "plain"].find((known) => known === place.get("drawing")) ?? "";
		worker.postMessage({
			kind: "start",
			canvas: offscreen,
			base: base(),
			drawing
		}, [offscreen]);
		set(started, true);
		const seen = () => say({
			kind: "seen",
			seen: !document.hidden && run.link !== "ended"
		});
		document.addEventListener("visibilitychange", seen);
		pictures.unshift(me);
		return () => {
			pictures.splice(pictures.indexOf(me), 1);
			document.removeEventListener("visibilitychange", seen);
			made.terminate();
			worker = null;
		};
	});
	const say = (message) => get(started) && worker?.postMessage(message);
	user_effect(() => {
		if (run.link !== "ended") return;
		say({
			kind: "seen",
			seen: false
		});
		set(problem, "");
	});
	user_effect(() => {
		say({
			kind: "source",
			from: $$props.source || null
		});
		(($$value) => {
			var $$array = to_array($$value, 4);
			set(problem, $$array[0], true);
			set(tool, $$array[1], true);
			set(anchor, $$array[2], true);
			set(lineValues, $$array[3]);
		})([
			"",
			untrack(() => get(tool) === "mask" ? get(tool) : ""),
			null,
			null
		]);
	});
	user_effect(() => {
		get(detector);
		(($$value) => {
			var $$array_1 = to_array($$value, 4);
			set(info, $$array_1[0]);
			set(sequence, $$array_1[1], true);
			set(cross, $$array_1[2]);
			set(hold, $$array_1[3], true);
		})([
			null,
			"",
			null,
			false
		]);
	});
	user_effect(() => {
		themed.count;
		const look = {
			contrast: shown.contrast,
			scale: shown.scale,
			map: shown.map,
			outside: rgb("--bg0"),
			invalid: rgb("--bg3")
		};
		say({
			kind: "look",
			look
		});
	});
	user_effect(() => void say({
		kind: "sight",
		sight: {
			...shown.sight,
			canvas: { ...get(box) },
			density: get(density)
		}
	}));
	user_effect(() => void say({
		kind: "hold",
		hold: get(hold)
	}));
	user_effect(() => void say({
		kind: "cross",
		at: get(at) && {
			x: get(at).x,
			y: get(at).y
		}
	}));
	user_effect(() => void say({
		kind: "line",
		line: get(line)
	}));
	function take(message) {
		if (message.kind === "shown") {
			set(sequence, message.sequence, true);
			isPictured();
		} else if (message.kind === "picture") set(info, message.info);
		else if (message.kind === "problem") fail(message.text);
		else if (message.kind === "unanswered") unanswered(message.text);
		else if (message.kind === "line") set(lineValues, message.values);
		else if (message.kind === "saved") saveFile(message.file, message.name);
		else if (message.cross.row.length > 0 || !get(cross)) set(cross, message.cross);
		else set(cross, {
			...message.cross,
			row: get(cross).row,
			column: get(cross).column
		});
	}
	function unanswered(text) {
		if (get(still) || run.link !== "ended") fail(text);
	}
	function fail(text) {
		set(problem, text, true);
		if (text && get(still)) (($$value) => {
			var $$array_2 = to_array($$value, 2);
			set(info, $$array_2[0]);
			set(cross, $$array_2[1]);
		})([null, null]);
	}
	function spotOf(event) {
		const { left, top } = whole.getBoundingClientRect();
		return {
			x: event.clientX - left,
			y: event.clientY - top
		};
	}
	function pointAt(event) {
		const spot = spotOf(event);
		const { x, y } = toArray(get(view), get(box), spot.x, spot.y);
		const at = {
			x: Math.floor(x),
			y: Math.floor(y)
		};
		return at.x >= 0 && at.y >= 0 && at.x < get(full).width && at.y < get(full).height ? at : null;
	}
	function wheel(event) {
		event.preventDefault();
		const spot = spotOf(event);
		const factor = 2 ** (-(event.deltaY || event.deltaX) / 400);
		const own = get(axes) === "own";
		sightTo(zoomedAt(get(view), get(box), spot.x, spot.y, own && event.altKey ? 1 : factor, own && event.shiftKey ? 1 : factor));
	}
	const fit = () => shown.sight = {
		zoom: "fit",
		x: 0,
		y: 0
	};
	function sightTo(next) {
		const all = fitted(get(full), get(box), get(axes));
		if (next.zoomX <= all.zoomX * 1.001 && next.zoomY <= all.zoomY * 1.001 && Math.min(all.zoomX, all.zoomY) < 1) return void fit();
		const { zoomX, zoomY, x, y } = kept(next, get(full), get(box), get(axes));
		shown.sight = {
			zoom: {
				x: zoomX,
				y: zoomY
			},
			x,
			y
		};
	}
	let drag = null;
	function press(event) {
		if (event.button !== 0) return;
		event.currentTarget.setPointerCapture(event.pointerId);
		if (get(tool) && get(tool) !== "mask") return begin(pointAt(event));
		drag = {
			x: event.clientX,
			y: event.clientY,
			view: get(view),
			moved: false
		};
	}
	function movePointer(event) {
		set(hovered, pointAt(event) ?? (get(tool) === "mask" ? get(hovered) : null), true);
		const spot = spotOf(event);
		if (get(anchor) && event.buttons) return draw(toArray(get(view), get(box), spot.x, spot.y), false);
		if (!drag) return;
		const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
		if (!drag.moved && Math.hypot(dx, dy) < 4) return;
		drag.moved = true;
		if (shown.sight.zoom === "fit") return;
		sightTo({
			...drag.view,
			x: drag.view.x - dx / get(view).zoomX,
			y: drag.view.y - dy / get(view).zoomY
		});
	}
	function release(event) {
		if (get(anchor)) return finish();
		if (drag && !drag.moved) set(pinned, pointAt(event), true);
		drag = null;
	}
	function touch() {
		pictures.splice(pictures.indexOf(me), 1);
		pictures.push(me);
	}
	function key(event) {
		const on = event.target;
		if (pictures.at(-1) !== me || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
		if (on.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
		if ((on === stage || !get(still) && (on === document.body || on.id === "main")) && steer(event) || turn(event.key)) event.preventDefault();
	}
	function steer(event) {
		const step = event.shiftKey ? 10 : 1;
		const by = {
			ArrowLeft: [-step, 0],
			ArrowRight: [step, 0],
			ArrowUp: [0, -step],
			ArrowDown: [0, step]
		}[event.key];
		if (event.key === "Enter" && get(anchor)) finish();
		else if (by && get(at)) {
			set(hovered, null);
			set(pinned, {
				x: clamp(get(at).x + by[0], 0, get(full).width - 1),
				y: clamp(get(at).y + by[1], 0, get(full).height - 1)
			}, true);
			if (get(anchor)) draw(get(pinned), true);
		} else return false;
		return true;
	}
	function turn(pressed) {
		if (pressed === "r" && get(target)) byKeys("region");
		else if (pressed === "l" && get(info)) byKeys("line");
		else if (pressed === "m" && get(info) && !get(still)) set(tool, "mask");
		else if (pressed === "Escape" && get(tool) && get(tool) !== "mask") cancel();
		else if (pressed === "Escape" && isFull() && !get(tool)) turnFull();
		else if (pressed === "+" || pressed === "=") zoomBy(2);
		else if (pressed === "-") zoomBy(.5);
		else if (pressed === "0") fit();
		else if (pressed === "h" && !get(still)) set(hold, !get(hold));
		else if (pressed === "f") turnFull();
		else return false;
		return true;
	}
	function byKeys(what) {
		stage.focus();
		begin(get(at), what);
	}
	function begin(from, wanted = get(tool)) {
		if (!from || wanted === "region" && !get(target)) return;
		(($$value) => {
			var $$array_3 = to_array($$value, 4);
			set(tool, $$array_3[0], true);
			set(anchor, $$array_3[1], true);
			set(pinned, $$array_3[2], true);
			set(hovered, $$array_3[3], true);
		})([
			wanted,
			from,
			from,
			null
		]);
		(($$value) => {
			var $$array_4 = to_array($$value, 2);
			set(aim, $$array_4[0], true);
			isDrawn = $$array_4[1];
		})([wanted === "region" ? get(target) : null, false]);
	}
	function draw(to, whole) {
		if (!get(anchor)) return;
		if (get(tool) === "region") {
			if (!get(aim)) return;
			const more = (a, b) => whole && b >= a ? b + 1 : b;
			isDrawn = true;
			wishRegion(get(aim), between(get(anchor).x, get(anchor).y, more(get(anchor).x, to.x), more(get(anchor).y, to.y), get(full)));
		} else {
			const [x1, y1] = [clamp(Math.floor(to.x), 0, get(full).width - 1), clamp(Math.floor(to.y), 0, get(full).height - 1)];
			shown.line = {
				x0: get(anchor).x,
				y0: get(anchor).y,
				x1,
				y1
			};
		}
	}
	function finish() {
		const node = isDrawn ? get(aim) : null;
		(($$value) => {
			var $$array_5 = to_array($$value, 3);
			set(tool, $$array_5[0], true);
			set(anchor, $$array_5[1], true);
			set(aim, $$array_5[2], true);
		})([
			"",
			null,
			null
		]);
		if (!node) return;
		choose()(node);
		tick().then(() => whole.querySelector(`[data-region="${node}"]`)?.focus());
	}
	function cancel() {
		if (get(aim) && isDrawn) drafts.revert(get(aim));
		(($$value) => {
			var $$array_6 = to_array($$value, 3);
			set(tool, $$array_6[0], true);
			set(anchor, $$array_6[1], true);
			set(aim, $$array_6[2], true);
		})([
			"",
			null,
			null
		]);
	}
	function leaveMask() {
		set(tool, "");
		tick().then(() => stage.focus());
	}
	function zoomBy(factor) {
		const middle = get(crossPlace) && get(inside) ? get(crossPlace) : {
			x: get(box).width / 2,
			y: get(box).height / 2
		};
		sightTo(zoomedAt(get(view), get(box), middle.x, middle.y, factor));
	}
	function resized(rect) {
		set(density, devicePixelRatio || 1, true);
		const whole = (n, up) => (up ? Math.ceil(n * get(density) - .001) : Math.floor(n * get(density) + .001)) / get(density);
		const [left, top] = [whole(rect.left, true), whole(rect.top, true)];
		const size = {
			width: Math.floor(whole(rect.right, false) - left),
			height: Math.floor(whole(rect.bottom, false) - top)
		};
		set(shift, {
			x: left - rect.left,
			y: top - rect.top
		}, true);
		if (size.width !== get(box).width || size.height !== get(box).height) set(box, size, true);
	}
	let room = state(void 0);
	user_effect(() => {
		if (!get(room)) return;
		const watched = get(room);
		const watch = new ResizeObserver(() => resized(watched.getBoundingClientRect()));
		watch.observe(watched);
		return () => watch.disconnect();
	});
	const summary = user_derived(() => get(info) ? `Picture of ${get(name)}: ${get(info).full.width} by ${get(info).full.height} ${get(info).dtype}, from ${short(get(info).min)} to ${short(get(info).max)}, mean ${short(get(info).mean)}. Arrow keys move the cross-hair, plus and minus zoom, 0 fits, ` + (get(still) ? "l begins a line, which Enter ends." : "h holds, r begins a region and l a line, which Enter ends, m draws a mask.") + " f fills the window." : `Picture of ${get(name)}: none yet`);
	var section = root_13();
	event("keydown", $window, key);
	var node_1 = child(section);
	Tools(node_1, {
		get source() {
			return $$props.source;
		},
		get still() {
			return get(still);
		},
		get info() {
			return get(info);
		},
		get target() {
			return get(target);
		},
		get view() {
			return get(view);
		},
		get axes() {
			return get(axes);
		},
		fit,
		setZoom: (zoom) => sightTo({
			...get(view),
			zoomX: zoom,
			zoomY: zoom
		}),
		get hold() {
			return get(hold);
		},
		set hold($$value) {
			set(hold, $$value, true);
		},
		get tool() {
			return get(tool);
		},
		set tool($$value) {
			set(tool, $$value, true);
		},
		get saving() {
			return get(saving);
		},
		set saving($$value) {
			set(saving, $$value, true);
		}
	});
	var node_2 = sibling(node_1, 2);
	var consequent = ($$anchor) => {
		var fragment = comment();
		await_block(first_child(fragment), () => __vitePreload(() => import("./Save.js"), __vite__mapDeps([0,1]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Save } = get($$source);
				return { Save };
			});
			var Save = user_derived(() => get($$value).Save);
			var fragment_1 = comment();
			var node_4 = first_child(fragment_1);
			{
				let $0 = user_derived(() => atHost(get(still) ? `${$$props.source}&as=npy` : `/api/v1/picture?${new URLSearchParams({
					from: $$props.source,
					as: "npy"
				})}`));
				component(node_4, () => get(Save), ($$anchor, Save_1) => {
					Save_1($$anchor, {
						get info() {
							return get(info);
						},
						get still() {
							return get(still);
						},
						get name() {
							return get(name);
						},
						get whole() {
							return get($0);
						},
						save: (as) => say({
							kind: "save",
							as,
							name: get(name)
						}),
						close: () => set(saving, false)
					});
				});
			}
			append($$anchor, fragment_1);
		});
		append($$anchor, fragment);
	};
	if_block(node_2, ($$render) => {
		if (get(saving) && get(info)) $$render(consequent);
	});
	var node_5 = sibling(node_2, 2);
	var consequent_1 = ($$anchor) => {
		var fragment_2 = comment();
		await_block(first_child(fragment_2), () => __vitePreload(() => import("./MaskTools.js"), __vite__mapDeps([2,3,4]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: MaskTools } = get($$source);
				return { MaskTools };
			});
			var MaskTools = user_derived(() => get($$value).MaskTools);
			var fragment_3 = comment();
			component(first_child(fragment_3), () => get(MaskTools), ($$anchor, MaskTools_1) => {
				MaskTools_1($$anchor, {
					get source() {
						return $$props.source;
					},
					get place() {
						return get(info).place;
					},
					get full() {
						return get(full);
					}
				});
			});
			append($$anchor, fragment_3);
		});
		append($$anchor, fragment_2);
	};
	if_block(node_5, ($$render) => {
		if (get(tool) === "mask" && get(info)) $$render(consequent_1);
	});
	var div = sibling(node_5, 2);
	let classes;
	var div_1 = child(div);
	var node_8 = child(div_1);
	{
		let $0 = user_derived(() => get(cross)?.row ?? null);
		let $1 = user_derived(() => get(cross)?.x0 ?? 0);
		let $2 = user_derived(() => get(cross)?.stepX ?? 1);
		let $3 = user_derived(() => get(at)?.x ?? null);
		Profile(node_8, {
			get values() {
				return get($0);
			},
			get x0() {
				return get($1);
			},
			get step() {
				return get($2);
			},
			get view() {
				return get(view);
			},
			get box() {
				return get(box);
			},
			get at() {
				return get($3);
			}
		});
	}
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	var node_9 = child(div_2);
	var consequent_2 = ($$anchor) => {
		var fragment_4 = root$6();
		var span = first_child(fragment_4);
		var b_1 = sibling(child(span));
		var text_1 = only_child(b_1, true);
		var text_2 = only_child(sibling(b_1, 2), true);
		reset(span);
		var strong = sibling(span, 2);
		var text_3 = only_child(strong, true);
		var text_4 = only_child(sibling(strong, 2), true);
		template_effect(($0) => {
			set_text(text_1, get(at).x);
			set_text(text_2, get(at).y);
			set_text(text_3, $0);
			set_text(text_4, get(cross).exact || get(still) ? "counts" : "of the newest frame");
		}, [() => get(cross).x === get(at).x && get(cross).y === get(at).y ? (get(cross).value ?? "…").replace("-", "−") : "…"]);
		append($$anchor, fragment_4);
	};
	if_block(node_9, ($$render) => {
		if (get(at) && get(cross)) $$render(consequent_2);
	});
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var node_10 = child(div_3);
	var consequent_3 = ($$anchor) => {
		Axis($$anchor, {
			get view() {
				return get(view);
			},
			get box() {
				return get(box);
			}
		});
	};
	if_block(node_10, ($$render) => {
		if (get(info)) $$render(consequent_3);
	});
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var div_5 = child(div_4);
	let styles;
	var div_6 = child(div_5);
	let classes_1;
	var canvas_1 = child(div_6);
	let classes_2;
	let styles_1;
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node_11 = sibling(canvas_1, 2);
	var consequent_4 = ($$anchor) => {
		var svg = root_2$5();
		each(svg, 20, () => ["under", "over"], (stroke) => stroke, ($$anchor, stroke) => {
			var fragment_6 = root_1$6();
			var path = first_child(fragment_6);
			var circle = sibling(path);
			template_effect(() => {
				set_class(path, 0, clsx(stroke), "svelte-1hbwdai");
				set_attribute(path, "d", `M${get(crossPlace).x ?? ""} 0V${get(box).height ?? ""}M0 ${get(crossPlace).y ?? ""}H${get(box).width ?? ""}`);
				set_class(circle, 0, clsx(stroke), "svelte-1hbwdai");
				set_attribute(circle, "cx", get(crossPlace).x);
				set_attribute(circle, "cy", get(crossPlace).y);
			});
			append($$anchor, fragment_6);
		});
		reset(svg);
		template_effect(() => {
			set_attribute(svg, "width", get(box).width);
			set_attribute(svg, "height", get(box).height);
		});
		append($$anchor, svg);
	};
	if_block(node_11, ($$render) => {
		if (get(inside) && get(crossPlace)) $$render(consequent_4);
	});
	reset(div_6);
	bind_this(div_6, ($$value) => stage = $$value, () => stage);
	var node_12 = sibling(div_6, 2);
	var consequent_7 = ($$anchor) => {
		var fragment_7 = root_4$3();
		var node_13 = first_child(fragment_7);
		var consequent_5 = ($$anchor) => {
			var fragment_8 = comment();
			await_block(first_child(fragment_8), () => __vitePreload(() => import("./Regions.js"), __vite__mapDeps([5,6]), import.meta.url), null, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { default: Regions } = get($$source);
					return { Regions };
				});
				var Regions = user_derived(() => get($$value).Regions);
				var div_7 = root_3$4();
				let classes_3;
				component(child(div_7), () => get(Regions), ($$anchor, Regions_1) => {
					Regions_1($$anchor, {
						get source() {
							return $$props.source;
						},
						get view() {
							return get(view);
						},
						get box() {
							return get(box);
						},
						get full() {
							return get(full);
						},
						get chosen() {
							return chosen();
						},
						get choose() {
							return choose();
						}
					});
				});
				reset(div_7);
				template_effect(() => classes_3 = set_class(div_7, 1, "svelte-1hbwdai", null, classes_3, { through: get(tool) !== "" }));
				append($$anchor, div_7);
			});
			append($$anchor, fragment_8);
		};
		if_block(node_13, ($$render) => {
			if (!get(still)) $$render(consequent_5);
		});
		var node_16 = sibling(node_13, 2);
		var consequent_6 = ($$anchor) => {
			var fragment_9 = comment();
			await_block(first_child(fragment_9), () => __vitePreload(() => import("./Line.js"), __vite__mapDeps([7,8]), import.meta.url), null, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { default: LineOverlay } = get($$source);
					return { LineOverlay };
				});
				var LineOverlay = user_derived(() => get($$value).LineOverlay);
				var fragment_10 = comment();
				component(first_child(fragment_10), () => get(LineOverlay), ($$anchor, LineOverlay_1) => {
					LineOverlay_1($$anchor, {
						get view() {
							return get(view);
						},
						get box() {
							return get(box);
						},
						get full() {
							return get(full);
						}
					});
				});
				append($$anchor, fragment_10);
			});
			append($$anchor, fragment_9);
		};
		if_block(node_16, ($$render) => {
			if (get(line)) $$render(consequent_6);
		});
		append($$anchor, fragment_7);
	};
	if_block(node_12, ($$render) => {
		if (get(info)) $$render(consequent_7);
	});
	var node_19 = sibling(node_12, 2);
	var consequent_8 = ($$anchor) => {
		var fragment_11 = comment();
		await_block(first_child(fragment_11), () => __vitePreload(() => import("./MaskLayer.js"), __vite__mapDeps([9,3,10]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: MaskLayer } = get($$source);
				return { MaskLayer };
			});
			var MaskLayer = user_derived(() => get($$value).MaskLayer);
			var fragment_12 = comment();
			component(first_child(fragment_12), () => get(MaskLayer), ($$anchor, MaskLayer_1) => {
				MaskLayer_1($$anchor, {
					get source() {
						return $$props.source;
					},
					get place() {
						return get(info).place;
					},
					get view() {
						return get(view);
					},
					get box() {
						return get(box);
					},
					get full() {
						return get(full);
					},
					get at() {
						return get(at);
					},
					close: leaveMask,
					moveTo: (spot) => (($$value) => {
						var $$array_7 = to_array($$value, 2);
						set(pinned, $$array_7[0], true);
						set(hovered, $$array_7[1], true);
						return $$value;
					})([spot, null])
				});
			});
			append($$anchor, fragment_12);
		});
		append($$anchor, fragment_11);
	};
	if_block(node_19, ($$render) => {
		if (get(tool) === "mask" && get(info) && get(at)) $$render(consequent_8);
	});
	var node_22 = sibling(node_19, 2);
	var consequent_9 = ($$anchor) => {
		var p = root_5$1();
		var text_5 = only_child(p, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p);
	};
	var consequent_10 = ($$anchor) => {
		var p_1 = root_6();
		var text_6 = only_child(p_1, true);
		template_effect(() => set_text(text_6, get(still) ? `Reading ${get(name)} …` : $$props.source ? `Waiting for a frame of ${$$props.source} …` : "Nothing in this run sends pictures."));
		append($$anchor, p_1);
	};
	var consequent_11 = ($$anchor) => {
		var p_2 = root_7();
		var text_7 = only_child(p_2);
		template_effect(() => set_text(text_7, `${$$props.source ?? ""} has sent nothing for 2 s; this is its newest frame.`));
		append($$anchor, p_2);
	};
	if_block(node_22, ($$render) => {
		if (get(problem)) $$render(consequent_9);
		else if (!get(info)) $$render(consequent_10, 1);
		else if (get(info).held && !get(hold)) $$render(consequent_11, 2);
	});
	var node_23 = sibling(node_22, 2);
	var consequent_12 = ($$anchor) => {
		var p_3 = root_8();
		var text_8 = only_child(p_3);
		template_effect(() => set_text(text_8, `${get(tool) === "region" ? `Draw the region of ${get(aim) ?? get(target)}.` : "Draw a line."}
          ${get(anchor) ? "Arrow keys size it, Enter ends, Esc takes it back." : "Drag on the picture; Esc ends."}`));
		append($$anchor, p_3);
	};
	var consequent_13 = ($$anchor) => {
		append($$anchor, root_9());
	};
	if_block(node_23, ($$render) => {
		if (get(tool) && get(tool) !== "mask") $$render(consequent_12);
		else if (get(hold)) $$render(consequent_13, 1);
	});
	reset(div_5);
	bind_this(div_5, ($$value) => whole = $$value, () => whole);
	reset(div_4);
	bind_this(div_4, ($$value) => set(room, $$value), () => get(room));
	var div_8 = sibling(div_4, 2);
	var node_24 = child(div_8);
	{
		let $0 = user_derived(() => get(cross)?.column ?? null);
		let $1 = user_derived(() => get(cross)?.y0 ?? 0);
		let $2 = user_derived(() => get(cross)?.stepY ?? 1);
		let $3 = user_derived(() => get(at)?.y ?? null);
		Profile(node_24, {
			upright: true,
			get values() {
				return get($0);
			},
			get x0() {
				return get($1);
			},
			get step() {
				return get($2);
			},
			get view() {
				return get(view);
			},
			get box() {
				return get(box);
			},
			get at() {
				return get($3);
			}
		});
	}
	reset(div_8);
	var node_25 = sibling(div_8, 2);
	var consequent_14 = ($$anchor) => {
		var div_9 = root_10();
		await_block(child(div_9), () => __vitePreload(() => import("./LineProfile.js"), __vite__mapDeps([11,12]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: LineProfile } = get($$source);
				return { LineProfile };
			});
			var LineProfile = user_derived(() => get($$value).LineProfile);
			var fragment_13 = comment();
			var node_27 = first_child(fragment_13);
			{
				let $0 = user_derived(() => get(info).reduce === "none" ? "" : ` (${get(info).reduce} of ${get(info).binX}×${get(info).binY})`);
				component(node_27, () => get(LineProfile), ($$anchor, LineProfile_1) => {
					LineProfile_1($$anchor, {
						get line() {
							return get(line);
						},
						get values() {
							return get(lineValues);
						},
						remove: () => shown.line = null,
						get reduced() {
							return get($0);
						}
					});
				});
			}
			append($$anchor, fragment_13);
		});
		reset(div_9);
		append($$anchor, div_9);
	};
	if_block(node_25, ($$render) => {
		if (get(line) && get(info)) $$render(consequent_14);
	});
	var div_10 = sibling(node_25, 2);
	HistogramBar(child(div_10), { get info() {
		return get(info);
	} });
	reset(div_10);
	var div_11 = sibling(div_10, 2);
	var node_29 = child(div_11);
	var consequent_16 = ($$anchor) => {
		var fragment_14 = root_12();
		var span_1 = first_child(fragment_14);
		var b_3 = child(span_1);
		var text_9 = only_child(b_3, true);
		var text_10 = only_child(sibling(b_3, 2), true);
		reset(span_1);
		var span_2 = sibling(span_1, 2);
		var text_11 = only_child(sibling(child(span_2)), true);
		reset(span_2);
		var span_3 = sibling(span_2, 2);
		var text_12 = only_child(span_3);
		var node_30 = sibling(span_3, 2);
		var consequent_15 = ($$anchor) => {
			var span_4 = root_11();
			var text_13 = only_child(span_4);
			template_effect(($0) => set_text(text_13, `${$0 ?? ""} not numbers`), [() => count(get(info).invalid)]);
			append($$anchor, span_4);
		};
		if_block(node_30, ($$render) => {
			if (get(info).invalid > 0) $$render(consequent_15);
		});
		var span_5 = sibling(node_30, 2);
		var text_14 = only_child(span_5);
		template_effect(($0, $1, $2, $3, $4) => {
			set_text(text_9, $0);
			set_text(text_10, $1);
			set_text(text_11, $2);
			set_attribute(span_3, "title", `Pixels at the largest value of ${get(info).dtype ?? ""}`);
			set_text(text_12, `${$3 ?? ""} at limit`);
			set_attribute(span_5, "title", `Pictures on this screen, drawn by ${get(info).drawing === "plain" ? "the processor" : "WebGL"}`);
			set_text(text_14, `${$4 ?? ""}${get(info).reduce === "none" ? "" : ` · ${get(info).binX}×${get(info).binY} ${get(info).reduce}`}`);
		}, [
			() => short(get(info).low),
			() => short(get(info).high),
			() => short(get(info).mean),
			() => count(get(info).atLimit),
			() => get(still) ? "" : `${rate(get(info).shownHz)}/s`
		]);
		append($$anchor, fragment_14);
	};
	if_block(node_29, ($$render) => {
		if (get(info)) $$render(consequent_16);
	});
	reset(div_11);
	reset(div);
	reset(section);
	template_effect(() => {
		set_attribute(section, "aria-label", slot() ? "Picture beside it" : "Picture");
		classes = set_class(div, 1, "grid svelte-1hbwdai", null, classes, { lined: get(line) !== null && get(info) !== null });
		styles = set_style(div_5, "", styles, {
			left: `${get(shift).x ?? ""}px`,
			top: `${get(shift).y ?? ""}px`,
			width: `${get(box).width ?? ""}px`,
			height: `${get(box).height ?? ""}px`
		});
		classes_1 = set_class(div_6, 1, "stage svelte-1hbwdai", null, classes_1, { drawing: get(tool) !== "" });
		set_attribute(div_6, "aria-label", get(summary));
		set_attribute(div_6, "data-sequence", get(info) && get(sequence) || void 0);
		set_attribute(canvas_1, "data-drawing", get(info)?.drawing);
		classes_2 = set_class(canvas_1, 1, "svelte-1hbwdai", null, classes_2, { blank: get(still) && !get(info) });
		styles_1 = set_style(canvas_1, "", styles_1, {
			width: `${get(box).width ?? ""}px`,
			height: `${get(box).height ?? ""}px`
		});
	});
	event("pointerenter", section, touch);
	delegated("focusin", section, touch);
	event("wheel", div_5, wheel);
	delegated("pointermove", div_5, movePointer);
	event("pointerleave", div_5, () => set(hovered, null));
	delegated("pointerdown", div_6, press);
	delegated("pointerup", div_6, release);
	append($$anchor, section);
	pop();
}
delegate([
	"focusin",
	"pointermove",
	"pointerdown",
	"pointerup"
]);
// src/screens/live/Events.svelte
var root$5 = from_html(`<span class="alarm"> </span>`);
var root_1$5 = from_html(`<span class="faint"> </span>`);
var root_2$4 = from_html(`<time class="svelte-urhke3"> </time> <span><!></span> <span class="text svelte-urhke3"><span> </span> <!> <!></span>`, 1);
var root_3$3 = from_html(`<span class="faint none svelte-urhke3">Nothing has happened since this page looks.</span>`);
var root_4$2 = from_html(`<h2>Events <span class="right"> </span></h2>  <div class="log scroll svelte-urhke3" role="log" aria-label="Events" tabindex="0"></div>`, 1);
function Events($$anchor, $$props) {
	push($$props, true);
	let most = prop($$props, "most", 3, 60);
	const entries = user_derived(() => run.log.slice(-most()).reverse());
	function who({ by }) {
		if (!by || by.face === "program") return "";
		const host = by.from.replace(/:\d+$/, "");
		return [
			by.user,
			by.face,
			host,
			by.door && `by host ${by.door}`
		].filter(Boolean).join(", ");
	}
	var fragment = root_4$2();
	var h2 = first_child(fragment);
	var text = only_child(sibling(child(h2)));
	reset(h2);
	var div = sibling(h2, 2);
	each(div, 21, () => get(entries), (entry) => entry.number, ($$anchor, entry) => {
		const bad = user_derived(() => get(entry).level === "error" || Boolean(get(entry).problem));
		var fragment_1 = root_2$4();
		var time = first_child(fragment_1);
		var text_1 = only_child(time, true);
		var span_1 = sibling(time, 2);
		let classes;
		var node = child(span_1);
		{
			let $0 = user_derived(() => get(entry).node || "run");
			Name(node, { get name() {
				return get($0);
			} });
		}
		reset(span_1);
		var span_2 = sibling(span_1, 2);
		var span_3 = child(span_2);
		let classes_1;
		var text_2 = only_child(span_3, true);
		var node_1 = sibling(span_3, 2);
		var consequent = ($$anchor) => {
			var span_4 = root$5();
			var text_3 = only_child(span_4);
			template_effect(() => set_text(text_3, `refused: ${get(entry).problem ?? ""}`));
			append($$anchor, span_4);
		};
		if_block(node_1, ($$render) => {
			if (get(entry).problem) $$render(consequent);
		});
		var node_2 = sibling(node_1, 2);
		var consequent_1 = ($$anchor) => {
			var span_5 = root_1$5();
			var text_4 = only_child(span_5, true);
			template_effect(($0) => set_text(text_4, $0), [() => who(get(entry))]);
			append($$anchor, span_5);
		};
		if_block(node_2, ($$render) => {
			if (get(entry).what === "action") $$render(consequent_1);
		});
		reset(span_2);
		template_effect(($0) => {
			set_text(text_1, $0);
			classes = set_class(span_1, 1, "node svelte-urhke3", null, classes, {
				dim: !get(entry).node,
				warn: get(bad)
			});
			classes_1 = set_class(span_3, 1, "", null, classes_1, { warn: get(bad) });
			set_text(text_2, get(entry).text);
		}, [() => timeOfDay(get(entry).at_ns / 1e6)]);
		append($$anchor, fragment_1);
	}, ($$anchor) => {
		append($$anchor, root_3$3());
	});
	reset(div);
	template_effect(($0, $1) => set_text(text, `${$0 ?? ""} kept${$1 ?? ""}`), [() => count(run.log.length), () => run.logLeftOut > 0 ? `, ${count(run.logLeftOut)} left out` : ""]);
	append($$anchor, fragment);
	pop();
}
// src/screens/live/Limits.svelte
var root$4 = from_html(`<p class="faint svelte-fr21m0">Known a few seconds after frames flow.</p>`);
var root_1$4 = from_html(`<span class="label svelte-fr21m0"><!></span> <div><i class="svelte-fr21m0"></i></div> <span class="n svelte-fr21m0"> </span><span class="n dim svelte-fr21m0"> </span>`, 1);
var root_2$3 = from_html(`<span class="label svelte-fr21m0"> </span> <div><i class="svelte-fr21m0"></i></div> <span class="n svelte-fr21m0"> </span> <span class="n dim svelte-fr21m0"> </span>`, 1);
var root_3$2 = from_html(`<p class="faint svelte-fr21m0"> </p>`);
var root_4$1 = from_html(`<div class="bars svelte-fr21m0"><!> <!></div> <!>`, 1);
var root_5 = from_html(`<h2>What limits <span> </span></h2> <!>`, 1);
function Limits($$anchor, $$props) {
	push($$props, true);
	const SHOWN = 4;
	const limit = user_derived(() => run.moment?.limit ?? null);
	const byCpu = user_derived(() => get(limit)?.limit.by === "cpu");
	const busiest = user_derived(() => {
		const now = run.moment?.nodes;
		const hz = (i) => Math.max(now?.in_hz[i] ?? 0, now?.hz[i] ?? 0);
		return run.nodes.map((node, i) => {
			if (get(limit) && node.name === get(limit).busiest_node) return {
				name: node.name,
				busy: get(limit).utilisation,
				most: get(limit).rate_hz / get(limit).utilisation
			};
			const busy = Math.min(1, hz(i) * (now?.service_p50_ms[i] ?? 0) / 1e3);
			return {
				name: node.name,
				busy,
				most: hz(i) / busy
			};
		}).filter((n) => n.busy > 5e-4).sort((a, b) => b.busy - a.busy).slice(0, SHOWN);
	});
	const percent = (part) => part < .0095 ? "< 1" : Math.round(part * 100).toString();
	var fragment = root_5();
	var h2 = first_child(fragment);
	var text = only_child(sibling(child(h2)));
	reset(h2);
	var node_1 = sibling(h2, 2);
	var consequent = ($$anchor) => {
		append($$anchor, root$4());
	};
	var alternate = ($$anchor) => {
		var fragment_1 = root_4$1();
		var div = first_child(fragment_1);
		var node_2 = child(div);
		each(node_2, 17, () => get(busiest), ({ name, busy, most }) => name, ($$anchor, $$item) => {
			let name = () => get($$item).name;
			let busy = () => get($$item).busy;
			let most = () => get($$item).most;
			var fragment_2 = root_1$4();
			var span_1 = first_child(fragment_2);
			Name(child(span_1), { get name() {
				return name();
			} });
			reset(span_1);
			var div_1 = sibling(span_1, 2);
			let classes;
			var i_1 = child(div_1);
			let styles;
			reset(div_1);
			var span_2 = sibling(div_1, 2);
			var text_1 = only_child(span_2);
			var text_2 = only_child(sibling(span_2));
			template_effect(($0, $1, $2) => {
				classes = set_class(div_1, 1, "bar svelte-fr21m0", null, classes, { hot: !get(byCpu) && name() === get(limit).limit.node });
				styles = set_style(i_1, "", styles, { width: $0 });
				set_text(text_1, `${$1 ?? ""} %`);
				set_text(text_2, `${$2 ?? ""} Hz`);
			}, [
				() => `${Math.min(100, busy() * 100)}%`,
				() => percent(busy()),
				() => rate(most())
			]);
			append($$anchor, fragment_2);
		});
		var node_4 = sibling(node_2, 2);
		var consequent_1 = ($$anchor) => {
			var fragment_3 = root_2$3();
			var span_4 = first_child(fragment_3);
			var text_3 = only_child(span_4);
			var div_2 = sibling(span_4, 2);
			let classes_1;
			var i_2 = child(div_2);
			let styles_1;
			reset(div_2);
			var span_5 = sibling(div_2, 2);
			var text_4 = only_child(span_5);
			var text_5 = only_child(sibling(span_5, 2));
			template_effect(($0, $1, $2) => {
				set_text(text_3, `${run.run?.cores ?? ""} cores`);
				classes_1 = set_class(div_2, 1, "bar svelte-fr21m0", null, classes_1, { hot: get(byCpu) });
				styles_1 = set_style(i_2, "", styles_1, { width: $0 });
				set_text(text_4, `${$1 ?? ""} %`);
				set_text(text_5, `${$2 ?? ""} Hz`);
			}, [
				() => `${Math.min(100, get(limit).cpu_utilisation * 100)}%`,
				() => percent(get(limit).cpu_utilisation),
				() => rate(get(limit).rate_hz / Math.max(get(limit).cpu_utilisation, 1e-9))
			]);
			append($$anchor, fragment_3);
		};
		if_block(node_4, ($$render) => {
			if (get(limit).cpu_utilisation !== null) $$render(consequent_1);
		});
		reset(div);
		var node_5 = sibling(div, 2);
		var consequent_2 = ($$anchor) => {
			var p_1 = root_3$2();
			var text_6 = only_child(p_1);
			template_effect(($0) => set_text(text_6, `${get(limit).one_more_thread.node ?? ""} on ${get(limit).one_more_thread.placement ?? ""}: ${$0 ?? ""} Hz`), [() => rate(get(limit).one_more_thread.sustainable_hz)]);
			append($$anchor, p_1);
		};
		if_block(node_5, ($$render) => {
			if (get(limit).one_more_thread) $$render(consequent_2);
		});
		append($$anchor, fragment_1);
	};
	if_block(node_1, ($$render) => {
		if (!get(limit)) $$render(consequent);
		else $$render(alternate, -1);
	});
	template_effect(() => set_text(text, `from service times and ${run.run?.cores ?? "–" ?? ""} cores`));
	append($$anchor, fragment);
	pop();
}
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
var beginOf = (keepMs) => {
	const now = untrack(() => run.moment);
	return now ? Math.max(0, now.at_ns / 1e6 - keepMs) : 0;
};
function follow(names, step, keepMs, show) {
	const series = new Series(names, keepMs);
	let timer;
	let ended = false;
	const look = async () => {
		if (!document.hidden && run.link === "open") try {
			const { unknown, ...more } = await history$1(names, step, series.lastMs || beginOf(keepMs));
			series.add(more);
			if (!ended) show(series, unknown && `The server keeps no history of ${unknown.replaceAll(",", ", ")}.`);
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
// src/model/past.ts
var MINUTE_MS = 6e4;
var PASTS = [
	{
		key: "",
		title: "1 min",
		spanMs: MINUTE_MS,
		step: "fine"
	},
	{
		key: "10min",
		title: "10 min",
		spanMs: 10 * MINUTE_MS,
		step: "fine"
	},
	{
		key: "1h",
		title: "1 h",
		spanMs: 60 * MINUTE_MS,
		step: "coarse"
	},
	{
		key: "12h",
		title: "12 h",
		spanMs: 720 * MINUTE_MS,
		step: "coarse"
	}
];
var past = () => PASTS.find(({ key }) => key === place.get("past")) ?? PASTS[0];
// node_modules/svelte/src/internal/flags/legacy.js
enable_legacy_mode_flag();
// src/parts/Past.svelte
var root$3 = from_html(`<option> </option>`);
var root_1$3 = from_html(`<select aria-label="How far back" class="svelte-1sxewk4"></select>`);
function Past($$anchor, $$props) {
	push($$props, false);
	init();
	var select = root_1$3();
	each(select, 5, () => PASTS, ({ key, title }) => key, ($$anchor, $$item) => {
		let key = () => get($$item).key;
		let title = () => get($$item).title;
		var option = root$3();
		var text = only_child(option, true);
		var option_value = {};
		template_effect(() => {
			set_text(text, title());
			if (option_value !== (option_value = key())) option.value = (option.__value = option_value) ?? "";
		});
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	template_effect(($0) => {
		if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
	}, [() => past().key]);
	delegated("change", select, (event) => place.set({ past: event.currentTarget.value }));
	append($$anchor, select);
	pop();
}
delegate(["change"]);
// src/screens/live/Strips.svelte
var root$2 = from_html(`<i class="key svelte-ujkihp"></i> `, 1);
var root_1$2 = from_html(`<div class="right"><!></div>`);
var root_2$2 = from_html(`<p class="faint"> </p>`);
var root_3$1 = from_html(`<p class="faint">What draws lines could not be loaded from the server.</p>`);
var root_4 = from_html(`<div class="strip svelte-ujkihp"><h2> <span> <!></span> <!></h2> <!> <!></div>`);
function Strips($$anchor, $$props) {
	push($$props, true);
	const lines = pictured.then(() => __vitePreload(() => import("./Chart2.js"), __vite__mapDeps([13,14,15]), import.meta.url));
	const POINTS = 600;
	const $$d = user_derived(past), step = user_derived(() => get($$d).step), spanMs = user_derived(() => get($$d).spanMs);
	const busiest = user_derived(() => run.moment?.limit?.busiest_node ?? "");
	let steady = state("");
	user_effect(() => {
		if (get(busiest) && !get(steady)) set(steady, get(busiest), true);
	});
	const others = user_derived(() => [...new Set([get(steady), $$props.chosen])].filter((name) => run.byName.has(name) && run.edgeTo(name)));
	const strips = user_derived(() => [
		{
			title: "Rate",
			about: "Hz",
			names: ["run.hz", ...$$props.chosen ? [`${$$props.chosen}.hz`] : []]
		},
		{
			title: "Latency",
			about: "ms, p99 of each second",
			names: get(others).map((name) => `${name}.latency_p99_1s_ms`)
		},
		{
			title: "Queue",
			about: "frames",
			names: get(others).map((name) => `${name}.queued`)
		},
		{
			title: "CPU",
			about: "% of one core",
			names: ["run.cpu", ...$$props.chosen ? [`${$$props.chosen}.cpu`] : []]
		}
	]);
	const all = user_derived(() => [...new Set(get(strips).flatMap((strip) => strip.names))]);
	const wanted = user_derived(() => get(all).join(","));
	let shown = state({
		times: [],
		columns: {}
	});
	let problem = state("");
	let isPictured = state(false);
	pictured.then(() => set(isPictured, true));
	user_effect(() => {
		if (!get(isPictured)) return;
		return follow(get(wanted).split(","), get(step), get(spanMs), (series, failure) => {
			set(problem, failure, true);
			show(series);
		});
	});
	function show(series) {
		const { times, columns } = series.thinned(POINTS);
		set(shown, {
			times,
			columns: Object.fromEntries(series.names.map((name, i) => [name, columns[i]]))
		});
	}
	const titleOf = (name) => name.startsWith("run.") ? "all" : brief(name.split(".")[0]);
	var fragment = comment();
	each(first_child(fragment), 19, () => get(strips), ({ title, about, names }) => title, ($$anchor, $$item, number) => {
		let title = () => get($$item).title;
		let about = () => get($$item).about;
		let names = () => get($$item).names;
		var div = root_4();
		var h2 = child(div);
		var text = child(h2);
		var span = sibling(text);
		var text_1 = child(span);
		each(sibling(text_1), 18, names, (name) => name, ($$anchor, name, i) => {
			var fragment_1 = root$2();
			var i_1 = first_child(fragment_1);
			let styles;
			var text_2 = sibling(i_1, 1, true);
			template_effect(($0) => {
				styles = set_style(i_1, "", styles, { background: `var(--s${get(i) + 1})` });
				set_text(text_2, $0);
			}, [() => titleOf(name)]);
			append($$anchor, fragment_1);
		});
		reset(span);
		var node_2 = sibling(span, 2);
		var consequent = ($$anchor) => {
			var div_1 = root_1$2();
			Past(child(div_1), {});
			reset(div_1);
			append($$anchor, div_1);
		};
		if_block(node_2, ($$render) => {
			if (get(number) === 0) $$render(consequent);
		});
		reset(h2);
		var node_4 = sibling(h2, 2);
		var consequent_1 = ($$anchor) => {
			var p = root_2$2();
			var text_3 = only_child(p, true);
			template_effect(() => set_text(text_3, get(problem)));
			append($$anchor, p);
		};
		if_block(node_4, ($$render) => {
			if (get(problem)) $$render(consequent_1);
		});
		await_block(sibling(node_4, 2), () => lines, null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Chart } = get($$source);
				return { Chart };
			});
			var Chart = user_derived(() => get($$value).Chart);
			var fragment_2 = comment();
			var node_6 = first_child(fragment_2);
			{
				let $0 = user_derived(() => names().map((name) => get(shown).columns[name] ?? []));
				component(node_6, () => get(Chart), ($$anchor, Chart_1) => {
					Chart_1($$anchor, {
						get times() {
							return get(shown).times;
						},
						get columns() {
							return get($0);
						},
						get names() {
							return names();
						},
						get spanMs() {
							return get(spanMs);
						},
						get label() {
							return title();
						}
					});
				});
			}
			append($$anchor, fragment_2);
		}, ($$anchor) => {
			append($$anchor, root_3$1());
		});
		reset(div);
		template_effect(() => {
			set_text(text, `${title() ?? ""} `);
			set_text(text_1, `${about() ?? ""} `);
		});
		append($$anchor, div);
	});
	append($$anchor, fragment);
	pop();
}
// src/screens/live/Live.svelte
var root$1 = from_html(`<section><!> <!></section>`);
var root_1$1 = from_html(`<p class="faint">What shows a node could not be loaded from the server.</p>`);
var root_2$1 = from_html(`<div><h1 class="quiet svelte-1p6wj4q">Live</h1> <section class="panel left scroll svelte-1p6wj4q" aria-label="Pipeline"><div class="pipeline scroll svelte-1p6wj4q"><!></div> <div class="below svelte-1p6wj4q"><!></div> <div class="below svelte-1p6wj4q"><h2>Ledger <span>offered = delivered + left out + lost + queued</span></h2> <!></div></section> <!> <aside class="panel right svelte-1p6wj4q"><!></aside> <section class="bottom svelte-1p6wj4q" aria-label="Charts and events"><!> <div class="events svelte-1p6wj4q"><!></div></section></div>`);
function Live($$anchor, $$props) {
	push($$props, true);
	const first = user_derived(firstPicture);
	const source = user_derived(() => place.get("view") || get(first));
	const second = user_derived(() => place.get("view2"));
	const chosen = user_derived(() => place.get("node") || (run.nodes.find((node) => node.type === "roi") ?? run.nodes[0])?.name || "");
	const choose = (node) => place.set({ node });
	const panel = pictured.then(() => __vitePreload(() => import("./NodePanel2.js"), __vite__mapDeps([16,17,18,19,20,21]), import.meta.url));
	user_effect(() => {
		if (get(source) === "") isPictured();
	});
	var div = root_2$1();
	let classes;
	var section = sibling(child(div), 2);
	var div_1 = child(section);
	Pipeline(child(div_1), {
		get chosen() {
			return get(chosen);
		},
		choose
	});
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	Limits(child(div_2), {});
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	LedgerBars(sibling(child(div_3), 2), { most: 6 });
	reset(div_3);
	reset(section);
	var node_4 = sibling(section, 2);
	var consequent_1 = ($$anchor) => {
		var section_1 = root$1();
		let classes_1;
		var node_5 = child(section_1);
		Picture(node_5, {
			get source() {
				return get(source);
			},
			get chosen() {
				return get(chosen);
			},
			choose
		});
		var node_6 = sibling(node_5, 2);
		var consequent = ($$anchor) => {
			Picture($$anchor, {
				get source() {
					return get(second);
				},
				get chosen() {
					return get(chosen);
				},
				choose,
				slot: "2"
			});
		};
		if_block(node_6, ($$render) => {
			if (get(second)) $$render(consequent);
		});
		reset(section_1);
		template_effect(() => classes_1 = set_class(section_1, 1, "panel middle svelte-1p6wj4q", null, classes_1, { two: get(second) !== "" }));
		append($$anchor, section_1);
	};
	if_block(node_4, ($$render) => {
		if (get(source)) $$render(consequent_1);
	});
	var aside = sibling(node_4, 2);
	await_block(child(aside), () => panel, null, ($$anchor, $$source) => {
		var $$value = user_derived(() => {
			var { default: NodePanel } = get($$source);
			return { NodePanel };
		});
		var NodePanel = user_derived(() => get($$value).NodePanel);
		var fragment_1 = comment();
		component(first_child(fragment_1), () => get(NodePanel), ($$anchor, NodePanel_1) => {
			NodePanel_1($$anchor, { get node() {
				return get(chosen);
			} });
		});
		append($$anchor, fragment_1);
	}, ($$anchor) => {
		append($$anchor, root_1$1());
	});
	reset(aside);
	var section_2 = sibling(aside, 2);
	var node_9 = child(section_2);
	Strips(node_9, { get chosen() {
		return get(chosen);
	} });
	var div_4 = sibling(node_9, 2);
	Events(child(div_4), {});
	reset(div_4);
	reset(section_2);
	reset(div);
	template_effect(($0) => {
		classes = set_class(div, 1, "live svelte-1p6wj4q", null, classes, {
			full: $0,
			bare: get(source) === ""
		});
		set_attribute(aside, "aria-label", `Node ${get(chosen) ?? ""}`);
	}, [() => isFull()]);
	append($$anchor, div);
	pop();
}
// src/screens/list.ts
var ALL = [
	{
		name: "live",
		title: "Live",
		load: () => Promise.resolve({ default: Live })
	},
	{
		name: "graph",
		title: "Graph",
		load: () => __vitePreload(() => import("./Graph.js"), __vite__mapDeps([22,17,18,19,20,21,23]), import.meta.url)
	},
	{
		name: "plots",
		title: "Plots",
		load: () => __vitePreload(() => import("./Plots.js"), __vite__mapDeps([24,14,15,25,26,27]), import.meta.url)
	},
	{
		name: "settings",
		title: "Settings",
		load: () => __vitePreload(() => import("./Settings.js"), __vite__mapDeps([28,19,18,20,29]), import.meta.url)
	},
	{
		name: "ledger",
		title: "Ledger",
		load: () => __vitePreload(() => import("./Ledger.js"), __vite__mapDeps([30,14,15,31]), import.meta.url)
	},
	{
		name: "runs",
		title: "Runs",
		load: () => __vitePreload(() => import("./Runs.js"), __vite__mapDeps([32,33]), import.meta.url)
	},
	{
		name: "trigger",
		title: "Trigger",
		load: () => __vitePreload(() => import("./Trigger.js"), __vite__mapDeps([34,18,25,26,35]), import.meta.url)
	}
];
var has = (nodes, kind) => nodes.some((node) => node.outputs.some((output) => output.kinds.includes(kind)));
function offered(nodes) {
	return ALL.filter((screen) => screen.name !== "trigger" || has(nodes, "table"));
}
var firstScreen = (nodes) => !has(nodes, "array") && has(nodes, "table") ? "trigger" : "live";
// src/App.svelte
var root = from_html(`<p class="note alarm svelte-1n46o8q"> </p>`);
var root_1 = from_html(`<p class="note alarm svelte-1n46o8q" role="alert"> </p>`);
var root_2 = from_html(`<p class="note dim svelte-1n46o8q"> </p>`);
var root_3 = from_html(`<a class="quiet skip svelte-1n46o8q" href="#main">Skip to the screen</a> <div><!> <div class="top svelte-1n46o8q"><!> <!></div> <main id="main" tabindex="-1"><!></main></div>`, 1);
function App($$anchor, $$props) {
	push($$props, true);
	let Shown = state(null);
	let problem = state("");
	const AHEAD_MS = 3e3;
	const screens = user_derived(() => offered(run.nodes));
	const gone = user_derived(() => run.link === "gone");
	user_effect(() => void load(place.screen));
	user_effect(() => {
		if (!run.heard) return;
		const timer = setTimeout(() => void get(screens).find(({ name }) => name === "ledger")?.load().catch(() => {}), AHEAD_MS);
		return () => clearTimeout(timer);
	});
	async function load(name) {
		try {
			const { default: next } = await (get(screens).find((screen) => screen.name === name) ?? get(screens)[0]).load();
			if (place.screen === name) (($$value) => {
				var $$array = to_array($$value, 2);
				set(Shown, $$array[0]);
				set(problem, $$array[1], true);
			})([next, ""]);
		} catch {
			set(problem, "This screen could not be loaded from the server.");
		}
	}
	function key(event) {
		const target = event.target;
		if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
		const screen = get(screens)[Number(event.key) - 1];
		if (screen) place.go(screen.name);
	}
	var fragment = root_3();
	event("keydown", $window, key);
	var a = first_child(fragment);
	var div = sibling(a, 2);
	let classes;
	var node = child(div);
	Rail(node, { get screens() {
		return get(screens);
	} });
	var div_1 = sibling(node, 2);
	var node_1 = child(div_1);
	Hosts(node_1, {});
	Bar(sibling(node_1, 2), {});
	reset(div_1);
	var main = sibling(div_1, 2);
	let classes_1;
	var node_3 = child(main);
	var consequent = ($$anchor) => {
		var p = root();
		var text = only_child(p, true);
		template_effect(() => set_text(text, get(problem)));
		append($$anchor, p);
	};
	var consequent_1 = ($$anchor) => {
		var p_1 = root_1();
		var text_1 = only_child(p_1, true);
		template_effect(() => set_text(text_1, run.problem));
		append($$anchor, p_1);
	};
	var consequent_2 = ($$anchor) => {
		var p_2 = root_2();
		var text_2 = only_child(p_2, true);
		template_effect(() => set_text(text_2, run.problem || "Asking the server what runs …"));
		append($$anchor, p_2);
	};
	var consequent_3 = ($$anchor) => {
		var fragment_1 = comment();
		component(first_child(fragment_1), () => get(Shown), ($$anchor, Shown_1) => {
			Shown_1($$anchor, {});
		});
		append($$anchor, fragment_1);
	};
	if_block(node_3, ($$render) => {
		if (get(problem)) $$render(consequent);
		else if (get(gone) && !run.heard && run.problem) $$render(consequent_1, 1);
		else if (run.described === null) $$render(consequent_2, 2);
		else if (get(Shown)) $$render(consequent_3, 3);
	});
	reset(main);
	reset(div);
	template_effect(($0) => {
		classes = set_class(div, 1, "app svelte-1n46o8q", null, classes, { full: $0 });
		set_attribute(main, "aria-busy", get(gone));
		classes_1 = set_class(main, 1, "svelte-1n46o8q", null, classes_1, { gone: get(gone) || run.link === "ended" });
	}, [() => isFull()]);
	delegated("click", a, (e) => (e.preventDefault(), document.getElementById("main")?.focus()));
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/main.ts
var entered = enter();
run.whenDescribed = () => {
	place.begin(firstScreen(run.nodes));
	lookAhead();
};
run.describe();
var target = document.getElementById("page");
target.replaceChildren();
mount(App, { target });
await entered;
run.start();
export { readTable as $, reset as $t, ago as A, from_html as At, ApiError as B, user_effect as Bt, Feed as C, index as Ct, isFull as D, set_text as Dt, inWords as E, await_block as Et, share as F, event as Ft, records as G, sibling as Gt, command as H, child as Ht, short as I, get as It, seriesNames as J, state as Jt, report as K, proxy as Kt, span as L, tick as Lt, count as M, text as Mt, flow as N, delegate as Nt, colour as O, append as Ot, rate as P, delegated as Pt, readPicture as Q, next as Qt, timeOfDay as R, untrack as Rt, drafts as S, each as St, Name as T, if_block as Tt, pipeline as U, first_child as Ut, changeSettings as V, $window as Vt, record as W, only_child as Wt, setParams as X, pop as Xt, setInput as Y, user_derived as Yt, settings as Z, push as Zt, regionsOf as _, set_style as _t, __vitePreload as a, prop as at, clamp as b, component as bt, summary as c, bind_checked as ct, ticks as d, set_attribute as dt, noop as en, atHost as et, toArray as f, set_checked as ft, regionNodes as g, select_option as gt, saveFile as h, init_select as ht, Picture as i, onMount as it, bytes as j, from_svg as jt, place as k, comment as kt, colours as l, bind_value as lt, themed as m, bind_select_value as mt, past as n, WINDOWS as nt, shownHere as o, bind_this as ot, toCanvas as p, set_value as pt, request as q, set as qt, follow as r, onDestroy as rt, lengthOf as s, bind_element_size as st, Past as t, to_array as tn, base as tt, placer as u, remove_input_defaults as ut, wishRegion as v, set_class as vt, layers as w, key as wt, dragged as x, snippet as xt, HANDLES as y, clsx as yt, run as z, template_effect as zt };
