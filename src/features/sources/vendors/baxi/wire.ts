import Type, { type Static } from "../../../../declare/schema/type.ts";
import { plain } from "../../../../runtime/plain-text.ts";
import { positiveNaira, spaced } from "../../../../vendors/responses/bundle-names.ts";
import type { PullError } from "../catalogue-source.ts";

/** Accepts any members: a bouquet with a fault is skipped, and the pull does not fail. */
const Bouquet = Type.Object({ code: Type.Unknown(), name: Type.Unknown(), availablePricingOptions: Type.Unknown() });

/** Bouquets, or the add-ons of one. */
export const Bouquets = Type.Object({ status: Type.Literal("success"), data: Type.Array(Bouquet) });

/**
 * The failure in a body: its `code`, a number or a text, decides. The documented words are BX…, EXC… and UNK… with
 * digits.
 */
export function failureIn(body: unknown): { kind: PullError; said: string } | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const code = plain((body as { code?: unknown }).code);
  if (code === "200" || !/^(\d{3}|(BX|EXC|UNK)\d{4,6})$/.test(code)) return undefined;
  const said = `with the code ${code}`;
  if (code === "401" || code === "403") return { kind: "refused_credentials", said };
  if (code === "404") return { kind: "incomplete", said };
  return { kind: /^4(?!08|29)/.test(code) ? "unreadable" : "unreachable", said };
}

/**
 * Returns a bouquet at its price for one month. Without a usable price or name the price is empty, and the bouquet is
 * not sold.
 */
export function readBouquet({ code, name: given, availablePricingOptions: options }: Static<typeof Bouquet>) {
  const name = spaced(plain(given));
  const month = Array.isArray(options) ? options.find((option) => plain(option?.monthsPaidFor) === "1") : undefined;
  return { code: plain(code), name, price: name && positiveNaira(month?.price) };
}
