import type { CheckInput } from "../../checks/check.ts";
import type { IdentityAttempt } from "../ports/identity-upstream.ts";
import type { VendorValues } from "../ports/vendor.ts";
import type { VendorRequest } from "../vendor-client.ts";
import type { FileRequest, VendorFile } from "./vendor-file.ts";

/** Placeholders that a vendor file may use, besides the names of its settings. */
export const placeholders = {
  number: "the number that is asked about",
  phone: "the phone as 08012345678",
  phone_234: "the phone as 2348012345678",
  phone_10: "the ten digits of the phone",
  first_name: "the first name, for a vendor that needs names",
  last_name: "the last name, likewise",
  reference: "Duba's reference of the verification",
  consent_reference: "the caller's handle for the consent",
  token: "the access token",
} as const;

export type Filling = Readonly<Partial<Record<string, string>>>;

/** A name in braces. */
export const braces = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;

/** Returns the values of a verification request under the names of `placeholders`. */
export function fillingOf({ number, claims }: CheckInput, beside: Filling = {}): Filling {
  const { phone, ...others } = claims;
  return {
    ...others,
    number,
    ...(phone !== undefined && { phone: `0${phone}`, phone_234: `234${phone}`, phone_10: phone }),
    ...beside,
  };
}

/** The request for a number. */
export function requestFor(
  file: VendorFile,
  values: VendorValues,
  { kind, number, claims, reference, consentReference }: IdentityAttempt,
  token: string,
): Pick<VendorRequest, "method" | "url" | "headers" | "body" | "form" | "answer"> {
  const { method, ...request } = file.kinds[kind]!;
  const beside = { reference, token, ...(consentReference !== undefined && { consent_reference: consentReference }) };
  const filling = { ...values, ...fillingOf({ kind, number, claims }, beside) };
  return {
    method,
    ...(file.answers === "form" && { answer: "form" }),
    ...filledRequest(request, values, filling, file.headers),
  };
}

/** The request for an access token. */
export function tokenRequest({ token, answers }: VendorFile, values: VendorValues) {
  const { basic, ...request } = token!;
  const { headers, ...rest } = filledRequest(request, values, values);
  const pair = basic && `${filled(basic.user, values)}:${filled(basic.password, values)}`;
  const signedIn = pair === undefined ? {} : { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  return { ...rest, ...(answers === "form" && { answer: "form" as const }), headers: { ...headers, ...signedIn } };
}

/**
 * `usual`: headers for all requests. Such a header applies if the request has no header of that name, or only one with
 * an empty setting.
 */
function filledRequest(
  { base = "url", path, headers = {}, query, json, form }: FileRequest,
  values: VendorValues,
  filling: Filling,
  usual: Readonly<Record<string, string>> = {},
) {
  const address = `${values[base] ?? ""}${path.replaceAll(braces, (_, name) => encodeURIComponent(filling[name] ?? ""))}`;
  const parameters = query ? new URLSearchParams(filledTexts(query, filling)).toString() : "";
  return {
    url: parameters === "" ? address : `${address}?${parameters}`,
    headers: { ...filledTexts(usual, filling), ...filledTexts(headers, filling) },
    ...(json !== undefined && { body: filledJson(json, filling) as object }),
    ...(form && { form: filledTexts(form, filling) }),
  };
}

const filled = (text: string, filling: Filling) => text.replaceAll(braces, (_, name) => filling[name] ?? "");

const isEmpty = (text: string, filling: Filling) => [...text.matchAll(braces)].some(([, name]) => !filling[name!]);

/** Fills in placeholders, and drops texts with an empty value. */
function filledTexts(texts: Readonly<Record<string, string>>, filling: Filling): Record<string, string> {
  const entries = Object.entries(texts).filter(([, text]) => !isEmpty(text, filling));
  return Object.fromEntries(entries.map(([name, text]) => [name, filled(text, filling)]));
}

function filledJson(json: unknown, filling: Filling): unknown {
  if (typeof json === "string") return filled(json, filling);
  if (Array.isArray(json)) return json.map((each) => filledJson(each, filling));
  if (typeof json !== "object" || json === null) return json;
  const kept = Object.entries(json).filter(([, value]) => typeof value !== "string" || !isEmpty(value, filling));
  return Object.fromEntries(kept.map(([name, value]) => [name, filledJson(value, filling)]));
}
