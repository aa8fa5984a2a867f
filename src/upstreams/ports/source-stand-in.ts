import type { CatalogueLists } from "./catalogue-source.ts";
import type { StandInRequest, StandInResponse } from "./stand-in.ts";

/** How a stand-in speaks the wire of its catalogue source: data and a pure function. */
export interface SourceStandIn {
  /** The path of the address that Duba is given, such as `/v2`. */
  base: string;
  /** Its response to a request, as a source that has these lists. */
  answer(request: StandInRequest, lists: CatalogueLists): StandInResponse;
}
