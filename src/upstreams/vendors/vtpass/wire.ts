import type { Static } from "typebox";
import Type from "../../../operation/schema/type.ts";
import type { PullFault } from "../../ports/catalogue-source.ts";

const code = Type.String({ pattern: "^[!-~]{1,64}$" });
const success = Type.Literal("000");

/** The services of an identifier, such as `data`. */
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

/** The variations of a service. The documentation names the list `variations` on some pages and `varations` on others. */
export const Variations = Type.Object({
  response_description: success,
  content: Type.Union([
    Type.Object({ ...service, variations: Type.Array(Variation) }),
    Type.Object({ ...service, varations: Type.Array(Variation) }),
  ]),
});

/** Documented response codes that refuse our account or our address. */
const refusals = new Set(["021", "022", "023", "024", "027", "087"]);
/** Documented response codes for something that does not exist. */
const absences = new Set(["010", "011", "012"]);

/** The failure in a response: a code of three digits other than 000, in one of two members. */
export function failureIn(body: unknown): { kind: PullFault; said: string } | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { code, response_description } = body as Record<string, unknown>;
  const given = [code, response_description].find((word) => typeof word === "string" && /^\d{3}$/.test(word));
  if (typeof given !== "string" || given === "000") return undefined;
  const kind = refusals.has(given) ? "refused_credentials" : absences.has(given) ? "incomplete" : "unreachable";
  return { kind, said: `with the code ${given}` };
}

/** Why we leave a variation out; undefined if we do not. */
export function unfit({ variation_code, fixedPrice }: Variation): string | undefined {
  if (!/^[!-~]{1,64}$/.test(variation_code)) return "its code is not 1 to 64 visible ASCII characters";
  return fixedPrice === "Yes" ? undefined : "its price is not fixed";
}

/** Whether the text names a fee: `0 %` and `N0` are none. */
export function isFee(text: string | undefined): boolean {
  return text !== undefined && /[1-9]/.test(text);
}
