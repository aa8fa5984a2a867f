import { Failure, type FailureCode } from "../../declare/failures.ts";
import { isRepeatable } from "../../declare/fields.ts";
import { foldCase } from "./codes.ts";
import { groupIn, groupIndex, type Item, type Snapshot } from "./snapshot.ts";

/** The data provider of this code. Throws `provider_not_found`. */
export function findDataProvider(snapshot: Snapshot, code: string): Item {
  return findProvider(snapshot, "data-providers", "No data provider has", code);
}

/** The cable provider of this code. Throws `provider_not_found`. */
export function findCableProvider(snapshot: Snapshot, code: string): Item {
  return findProvider(snapshot, "cable-providers", "No cable provider has", code);
}

/** The cable product of these codes. Throws `provider_not_found` and `product_not_found`. */
export function findProduct(snapshot: Snapshot, type: string, productCode: string): Item {
  const { key, content } = findCableProvider(snapshot, type);
  const product = groupIndex(groupIn(snapshot, "cable-products", key)).get(`${key} ${foldCase(productCode)}`);
  if (product) return product;
  const hint = ` List its products with GET /api/v2/cable-tv/fetch-billers?type=${content.type}.`;
  throw unknownCode("product_not_found", `${content.type} has no product with`, productCode, hint);
}

function findProvider(
  snapshot: Snapshot,
  list: "data-providers" | "cable-providers",
  nobodyHas: string,
  code: string,
): Item {
  const providers = groupIn(snapshot, list);
  const provider = groupIndex(providers).get(foldCase(code));
  if (provider) return provider;
  const known = providers.map(({ content }) => content.type).join(", ");
  throw unknownCode("provider_not_found", nobodyHas, code, known && ` Known codes: ${known}.`);
}

/** The message repeats a code only if it is harmless, because people paste anything. */
function unknownCode(failure: FailureCode, nobodyHas: string, code: string, hint: string): Failure {
  const named = isRepeatable(code) ? `the code ${code}` : "this code";
  return new Failure(failure, `${nobodyHas} ${named}.${hint}`);
}
