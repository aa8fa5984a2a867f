import { Failure, type FailureCode } from "../../declare/failures.ts";
import { isRepeatable } from "../../declare/fields.ts";
import { declaredList, type ListName } from "../../lists/index.ts";
import { foldCase } from "./codes.ts";
import { providerLists } from "./lists.ts";
import { type Document, groupIn, groupIndex, type Item, itemIn, type Snapshot } from "./snapshot.ts";

/** The data provider of this code. Throws `provider_not_found`. */
export function findDataProvider(snapshot: Snapshot, code: string): Item {
  return findProvider(snapshot, "data-providers", code);
}

/** The cable provider of this code. Throws `provider_not_found`. */
export function findCableProvider(snapshot: Snapshot, code: string): Item {
  return findProvider(snapshot, "cable-providers", code);
}

/** The cable product of these codes. Throws `provider_not_found` and `product_not_found`. */
export function findProduct(snapshot: Snapshot, type: string, productCode: string): Item {
  const { key, content } = findCableProvider(snapshot, type);
  const product = groupIndex(groupIn(snapshot, "cable-products", key)).get(`${key} ${foldCase(productCode)}`);
  if (product) return product;
  const hint = ` List its products with GET /api/v2/cable-tv/fetch-billers?type=${content.type}.`;
  throw unknownCode("product_not_found", `${content.type} has no product with`, productCode, hint);
}

/** The provider of this code, of whatever kind; undefined if there is none. */
export function providerIn(document: Document, code: string): Item | undefined {
  const key = foldCase(code);
  for (const list of providerLists) {
    const found = itemIn(document, list, key);
    if (found) return found;
  }
  return undefined;
}

function findProvider(snapshot: Snapshot, list: ListName, code: string): Item {
  const providers = groupIn(snapshot, list);
  const provider = groupIndex(providers).get(foldCase(code));
  if (provider) return provider;
  const known = providers.map(({ content }) => content.type).join(", ");
  throw unknownCode("provider_not_found", `No ${declaredList(list).one} has`, code, known && ` Known codes: ${known}.`);
}

/** The message repeats only a harmless code, because people paste anything. */
function unknownCode(failure: FailureCode, nobodyHas: string, code: string, hint: string): Failure {
  const named = isRepeatable(code) ? `the code ${code}` : "this code";
  return new Failure(failure, `${nobodyHas} ${named}.${hint}`);
}
