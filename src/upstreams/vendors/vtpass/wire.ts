import Type, { type Static } from "typebox";
import type { PullFault } from "../../ports/catalogue-source.ts";

const code = Type.String({ pattern: "^[!-~]{1,64}$" });
const success = Type.Literal("000");

/** What goes under an identifier, such as `data`. */
export const Services = Type.Object({
  response_description: success,
  content: Type.Array(Type.Object({ serviceID: code })),
});

const Variation = Type.Object({
  variation_code: Type.String(),
  name: Type.String(),
  variation_amount: Type.String(),
  fixedPrice: Type.String(),
});
export type Variation = Static<typeof Variation>;

const service = { serviceID: code, convinience_fee: Type.Optional(Type.String()) };

/** What a service sells. The documentation names the list `variations` on some pages and `varations` on others. */
export const Variations = Type.Object({
  response_description: success,
  content: Type.Union([
    Type.Object({ ...service, variations: Type.Array(Variation) }),
    Type.Object({ ...service, varations: Type.Array(Variation) }),
  ]),
});

/** Documented response codes which say that the account cannot be used, or not from here. */
const refusals = new Set(["021", "022", "023", "024", "027", "087"]);
/** Those which say that there is no such thing. */
const absences = new Set(["010", "011", "012"]);

/** What a failure says of itself: a code of three digits other than 000, in one of two members. */
export function failureIn(body: unknown): { kind: PullFault; said: string } | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { code, response_description } = body as Record<string, unknown>;
  const given = [code, response_description].find((word) => typeof word === "string" && /^\d{3}$/.test(word));
  if (typeof given !== "string" || given === "000") return undefined;
  const kind = refusals.has(given) ? "refused_credentials" : absences.has(given) ? "incomplete" : "unreachable";
  return { kind, said: `with the code ${given}` };
}

/** Why a variation is no entry of a catalogue; undefined: it is one. */
export function unfit({ variation_code, fixedPrice }: Variation): string | undefined {
  if (!/^[!-~]{1,64}$/.test(variation_code)) return "its code is not 1 to 64 visible ASCII characters";
  return fixedPrice === "Yes" ? undefined : "its price is not fixed";
}

/** `0 %`, `N0` and the like are no fee. */
export function isFee(text: string | undefined): boolean {
  return text !== undefined && /[1-9]/.test(text);
}
