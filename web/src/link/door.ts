/**
 * Which host of a graph this page is of. Its server, the door, has the pages of all hosts at `/hosts/NAME/`, and hands their requests on;
 * a page at `/` is of the door itself. Pure functions, but for the place.
 */

/** `/hosts/NAME` of a page of another host; empty for the door's own. */
export const prefixOf = (path: string) => /^\/hosts\/[\w.-]+(?=\/)/.exec(path)?.[0] ?? '';

/** The name of the host whose page has this address. */
export const hostOf = (path: string) => prefixOf(path).slice('/hosts/'.length);

/** Sessions are begun at the door, and it alone knows all hosts. */
const isOfDoor = (path: string) => /^\/api\/v1\/(session|hosts)$/.test(path);

/** Where a page at `place` finds a path of its host. */
export const addressOf = (path: string, place: string) => (isOfDoor(path) ? path : prefixOf(place) + path);

/** The same for this page. */
export const atHost = (path: string) => addressOf(path, location.pathname);

/** Before the paths of this page's host, for workers, whose own address is another one. */
export const base = () => location.origin + prefixOf(location.pathname);
