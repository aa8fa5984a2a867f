import type { CheckedResponse, ServerRequest } from "../src/ask-server.ts";

/** The fault of a server in one exchange: returns the changed response, or undefined for the good response. */
export type Break = (asked: ServerRequest, answered: CheckedResponse) => Partial<CheckedResponse> | undefined;

/** A way for a server to break a point, and the further points that break with it. */
export interface Breaking {
  by: Break;
  follows?: readonly string[];
}

type Json = ReturnType<typeof JSON.parse>;

const paths = {
  bundles: "/api/v2/internet/data/lookup",
  corporate: "/api/v2/corporate-data/list",
  providers: "/api/v2/internet/data/fetch-providers",
  addOns: "/api/v2/cable-tv/fetch-tv-add-ons",
  verify: "/api/v2/kyc/verify-bvn",
  requery: "/api/v2/kyc/verifications",
};
/** The name of a path of the interface document, or a path. */
export type PathName = keyof typeof paths | `/${string}`;

export const barePath = ({ path }: ServerRequest): string => path.split("?")[0]!;
export const isAt = (asked: ServerRequest, place: PathName): boolean =>
  `${barePath(asked)}/`.startsWith(`${(paths as Record<string, string>)[place] ?? place}/`);

/** Changes the JSON of responses with this status. */
export function changedJson(place: PathName, change: (json: Json, asked: ServerRequest) => void, status = 200): Break {
  return (asked, answered) => {
    if (!isAt(asked, place) || answered.status !== status || !answered.json) return undefined;
    const changed = structuredClone(answered.json);
    change(changed, asked);
    return withJson(changed);
  };
}

/** Changes each item of the list in a success. */
export function items(place: PathName, change: (item: Json, asked: ServerRequest) => void): Break {
  return changedJson(place, (body, asked) => {
    for (const item of body.data?.data ?? body.data ?? body.billers ?? body.plans) change(item, asked);
  });
}

/** Changes a header of successes; null removes the header. */
export function header(
  place: PathName,
  name: string,
  value: string | null,
  isMeant = (_: ServerRequest) => true,
): Break {
  return (asked, { status, headers }) => {
    if (!isAt(asked, place) || status >= 400 || !isMeant(asked)) return undefined;
    const { [name]: _, ...rest } = headers;
    return { headers: value === null ? rest : { ...rest, [name]: value } };
  };
}

/** Changes `error` of failures with this code. */
export function error(code: string, change: (error: Json, json: Json) => void): Break {
  return (_, { json }) => {
    if ((json as Json)?.error?.code !== code) return undefined;
    const changed = structuredClone(json) as Json;
    change(changed.error, changed);
    return withJson(changed);
  };
}

/** Answers failures of this code with another status. */
export function status(code: string, place: PathName, other: number, isMeant = (_: ServerRequest) => true): Break {
  return (asked, { json }) =>
    isAt(asked, place) && isMeant(asked) && (json as Json)?.error?.code === code ? { status: other } : undefined;
}

/** Answers these requests with the good response of `place`. */
export function accepts(
  place: PathName,
  isMeant: (asked: ServerRequest) => boolean,
  like: (place: PathName) => CheckedResponse,
): Break {
  return (asked) => (isAt(asked, place) && isMeant(asked) ? like(place) : undefined);
}

export function all(...breaks: Break[]): Break {
  return (asked, answered) => {
    let changed: Partial<CheckedResponse> | undefined;
    for (const by of breaks) changed = { ...changed, ...by(asked, { ...answered, ...changed }) };
    return changed && Object.keys(changed).length > 0 ? changed : undefined;
  };
}

export const isKeyless = ({ headers }: ServerRequest) => headers.Authorization === undefined;
export const hasEmptyKey = ({ headers }: ServerRequest) => headers.Authorization === "Bearer ";
export const hasWrongKey = ({ headers }: ServerRequest) => headers.Authorization?.includes("nobody-has") === true;
export const isMethod = (method: string) => (asked: ServerRequest) => asked.method === method;
export const bodyOf = ({ body }: ServerRequest) => (body?.startsWith('{"') ? JSON.parse(body) : {});
export const lacks = (name: string) => (asked: ServerRequest) =>
  asked.body?.startsWith('{"') === true && !(name in bodyOf(asked));
export const query = ({ path }: ServerRequest) => path.split("?")[1] ?? "";
export const isSuccess = ({ status }: CheckedResponse) => status === 200;
export const failed = { status: 500, ...withJson({ success: false }) };

export function withJson(changed: Json): Partial<CheckedResponse> {
  return { json: changed, text: JSON.stringify(changed) };
}
