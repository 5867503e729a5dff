import { G as set, K as state, P as get, q as user_derived } from "./disclose-version.js";
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
function readPicture(message) {
	const header = readHeader(message);
	if (header.kind !== "picture") throw new Error("wanted a picture, found a table");
	if (header.colours !== 1 && header.colours !== 3) throw new Error(`wanted 1 or 3 colours, found ${header.colours}`);
	const wanted = header.width * header.height * header.colours;
	if (wanted * bytesOf(header.dtype) !== header.bytes) throw new Error(`wanted ${header.width} x ${header.height} ${header.dtype}, found ${header.bytes} bytes`);
	return {
		header,
		pixels: new ARRAYS[header.dtype](message, 64, wanted)
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
	const answer = await fetch(path, init).catch((e) => {
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
var report = () => json("GET", "/api/v1/report");
var openSession = (token, user) => json("POST", "/api/v1/session", {
	token,
	user
});
var takeControl = (take) => json("POST", "/api/v1/control", { take });
var setParams = (name, set, onlyIf) => json("PATCH", node(name), onlyIf ? {
	set,
	if: onlyIf
} : { set });
var command = (name, what) => json("POST", `${node(name)}/${what}`, what === "acquire" ? { wait: false } : {});
var setInput = (name, change) => json("PATCH", `${node(name)}/input`, change);
var endRun = (how, run) => json("POST", `/api/v1/run/${how}`, { run });
var pipeline = () => json("GET", "/api/v1/pipeline");
var recordsAt = (from, number = "") => `/api/v1/records${number}?${new URLSearchParams({ from })}`;
var records = (from) => json("GET", recordsAt(from));
var record = (from, number) => json("GET", recordsAt(from, `/${number}`));
var seriesNames = () => json("GET", "/api/v1/history");
async function history(of, step, sinceMs) {
	const query = new URLSearchParams({
		of: of.join(","),
		step
	});
	if (sinceMs > 0) query.set("since_ms", String(sinceMs));
	return readHistory(await (await request("GET", `/api/v1/history?${query}`)).arrayBuffer());
}
// src/model/losses.ts
var INTENDED = new Set([
	"decimated",
	"rate_limited",
	"closed"
]);
var isIntended = (reason) => INTENDED.has(reason);
var inWords = (name) => name.replaceAll("_", " ");
var receiver = (edge) => edge?.to.split(".")[0] ?? "";
function newestLoss(before, now, graph) {
	const known = new Map(before?.losses.map(([edge, reason, count]) => [`${edge} ${reason}`, count]));
	let found = null;
	for (const [edge, reason, count] of now.losses) {
		const more = count - (known.get(`${edge} ${reason}`) ?? 0);
		if (graph.edges[edge]?.nodes[1] === null || isIntended(reason) || more <= (found?.count ?? 0)) continue;
		found = {
			atMs: before ? now.at_ns / 1e6 : 0,
			reason,
			place: receiver(graph.edges[edge]),
			count: more
		};
	}
	return found;
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
	pace = 10;
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
	#lastLoss = state(null);
	get lastLoss() {
		return get(this.#lastLoss);
	}
	set lastLoss(value) {
		set(this.#lastLoss, value);
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
	socket = null;
	smallestDistance = Infinity;
	watchers = new Map();
	watching = "";
	#byName = user_derived(() => new Map((this.described?.nodes ?? []).map((node, i) => [node.name, i])));
	get byName() {
		return get(this.#byName);
	}
	set byName(value) {
		set(this.#byName, value);
	}
	#mayWrite = user_derived(() => this.rights.write && this.link === "open" && this.ended === null);
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
		this.socket.open();
		const seen = () => {
			this.socket?.setPace(document.hidden ? 1 : 10);
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
		if (names.join("\n") === this.watching) return;
		this.watching = names.join("\n");
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
	async describe() {
		try {
			this.described = await describe();
			this.graph = this.described.graph;
			this.rights = this.described.rights;
			this.problem = "";
		} catch (problem) {
			this.problem = problem.message;
		}
	}
	follow(link, reason) {
		if (link === "gone" && this.link !== "gone" && this.goneSince === 0) this.goneSince = Date.now();
		if (link === "open") this.goneSince = 0;
		if (link !== "connecting" || this.goneSince === 0) this.link = link;
		if (reason) this.linkReason = reason;
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
				this.lastLoss = newestLoss(this.moment, message, this.graph) ?? this.lastLoss;
				this.moment = message;
				return this.measure(message.at_ns / 1e6);
			case "values": return this.merge(message.nodes);
			case "log": return this.append(message.entries, message.left_out);
			case "end": this.ended = message.report;
		}
	}
	greet(run, rights) {
		this.rights = rights;
		this.ended = null;
		this.log = [];
		this.smallestDistance = Infinity;
		if (run.id !== this.run?.id) {
			[this.values, this.nodesNow, this.moment, this.lastLoss] = [
				{},
				{},
				null,
				null
			];
			this.describe();
		}
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
export { setParams as _, ApiError as a, readTable as b, history as c, record as d, records as f, setInput as g, seriesNames as h, receiver as i, openSession as l, request as m, inWords as n, command as o, report as p, isIntended as r, endRun as s, run as t, pipeline as u, takeControl as v, readPicture as y };
