import { always, type StandIn, type StandInAttempt, type StandInRequest } from "../../../stand-ins/stand-in.ts";
import { checkInputOf, checks } from "../../checks/index.ts";
import { braces } from "../files/make-request.ts";
import { type Ending, type FileRequest, listOf, type Sample, type VendorFile } from "../files/vendor-file.ts";

const token = "token-of-the-stand-in";

/** A stand-in that answers with the samples of a vendor's file, adapted to the requested number. */
export function standInOf(file: VendorFile): StandIn<object> {
  const { kinds, samples, billed = {}, needs = [] } = file;
  const base = URL.parse(file.settings.url!.default ?? "")?.pathname.replace(/\/+$/, "") ?? "";
  const sampleOf = (outcome: Ending, kind: string) =>
    samples.find((each) => each.makes.outcome === outcome && each.kind === kind) ??
    samples.find((each) => each.makes.outcome === outcome);
  const failure = (outcome: Ending, status: number, message: string) => (asked: StandInAttempt) => {
    const sample = sampleOf(outcome, asked.kind);
    return sample ? answerOf(sample, asked) : { status, body: { message } };
  };
  const answers = (outcome: Ending) => samples.some((each) => each.makes.outcome === outcome);
  return {
    base,
    ...(file.answers === "form" && { form: true as const }),
    ...(needs.includes("consent") && { settings: { DUBA_CONSENT: "attested" } }),
    hasCredentials: (request) =>
      Object.values(kinds).some((kind) =>
        [{ path: "/", headers: file.headers ?? {} }, kind!].every((part) => isSignedIn(file, part, request)),
      ),
    beside: (request) => (file.token ? tokenFrom(file, base, request) : undefined),
    asked(request) {
      for (const [kind, of] of Object.entries(kinds)) {
        const number = request.method === of!.method ? numberIn(of!, base, request) : undefined;
        if (number !== undefined) return { kind, number };
      }
      return undefined;
    },
    found(record, asked) {
      const { personal_info: person } = record as { personal_info?: { phone_number: string } };
      return answerOf(sampleOf("found", asked.kind)!, asked, person?.phone_number.slice(-10)).body;
    },
    failures: {
      not_found: failure("not_found", 404, "Record not found"),
      ...(answers("blocked") && { blocked: failure("blocked", 403, "Blocked") }),
      no_money: failure("no_money", 402, "Insufficient wallet balance"),
      maintenance: failure("out_of_service", 503, "Service unavailable"),
      too_many_requests: failure("rate_limited", 429, "Too many requests"),
      no_credentials: failure("bad_credentials", 401, "Unauthorized"),
      no_route: always(404, { message: "No such path" }),
    },
    free: (["not_found", "blocked", "no_money"] as const).filter((outcome) => billed[outcome] === "no"),
    refuses: answers("out_of_service") ? ["maintenance"] : [],
  };
}

/** Returns the sample's answer with the requested number and phone. */
function answerOf({ kind, asked, answer }: Sample, { number }: { number: string }, phone?: string) {
  const check = checks[kind];
  const { number: given, ...texts } = asked ?? {};
  const own = checkInputOf(check, { ...check.example, ...texts, ...(given !== undefined && { [kind]: given }) });
  const text = JSON.stringify(answer.json ?? answer.form).replaceAll(own.number, number);
  const whole = phone === undefined ? text : text.replaceAll(own.claims.phone ?? phone, phone);
  return { status: answer.status ?? 200, body: JSON.parse(whole) as object };
}

/** Yields each text of the file's request, with the value in the actual request. */
function* placesOf({ headers, query, json, form }: FileRequest, request: StandInRequest) {
  for (const [name, text] of Object.entries(headers ?? {})) yield [text, request.headers[name.toLowerCase()]] as const;
  for (const [name, text] of Object.entries(query ?? {})) yield [text, request.query.get(name) ?? undefined] as const;
  yield* pairsOf(json ?? form, request.body);
}

function* pairsOf(template: unknown, given: unknown): Generator<readonly [unknown, unknown]> {
  if (typeof template !== "object" || template === null) {
    if (template !== undefined) yield [template, given];
    return;
  }
  for (const [name, inner] of Object.entries(template)) yield* pairsOf(inner, Object(given)[name]);
}

/** Returns the number in a request of this form, or undefined for another form. */
function numberIn(of: FileRequest, base: string, request: StandInRequest): string | undefined {
  const parts = of.path.split("{number}").map((part) => RegExp.escape(part).replaceAll(/\\\{\w+\\}/g, "[^/]*"));
  const path = new RegExp(`^${RegExp.escape(base)}${parts.join("([^/]+)")}$`).exec(request.path);
  if (!path) return undefined;
  let number = path[1];
  for (const [text, given] of placesOf({ ...of, headers: {} }, request)) {
    if (text === "{number}") number = String(given);
    // A text without a placeholder distinguishes kinds that share a path.
    else if (typeof text === "string" && !text.includes("{") && given !== text) return undefined;
  }
  return number;
}

/** Whether a request contains all required settings, and the token. */
function isSignedIn({ settings }: VendorFile, of: FileRequest, request: StandInRequest): boolean {
  for (const [text, given] of placesOf(of, request)) {
    const named = [...String(text).matchAll(braces)].map(([, name]) => name!);
    if (named.includes("token") && given !== String(text).replace("{token}", token)) return false;
    const isNeeded = named.some((name) => settings[name] && !settings[name].optional);
    // With an empty setting, the member would be missing, or would have only the text around the placeholder.
    if (isNeeded && (given === undefined || String(given) === String(text).replaceAll(braces, ""))) return false;
  }
  return true;
}

function tokenFrom(file: VendorFile, base: string, request: StandInRequest) {
  const of = file.token!;
  if (request.method !== "POST" || request.path !== `${base}${of.path}`) return undefined;
  const pair = /^Basic (\S+)$/.exec(String(request.headers.authorization ?? ""))?.[1] ?? "";
  const hasBasic = /^[^:]+:.+$/s.test(Buffer.from(pair, "base64").toString());
  if (!isSignedIn(file, of, request) || (of.basic && !hasBasic))
    return { status: 401, body: { message: "Invalid credentials" } };
  const body: Record<string, unknown> = {};
  put(body, listOf(of.at)[0]!, token);
  if (of.expires_in) put(body, listOf(of.expires_in)[0]!, 3600);
  return { status: 200, body };
}

/** Writes a value at a JSON pointer. */
function put(body: Record<string, unknown>, pointer: string, value: unknown): void {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  let here = body;
  for (const step of steps.slice(0, -1)) {
    here[step] ??= {};
    here = here[step] as Record<string, unknown>;
  }
  here[steps.at(-1)!] = value;
}
