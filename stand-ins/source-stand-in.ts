import type { StandInRequest, StandInResponse } from "./stand-in.ts";

/** What a stand-in of a catalogue source sells. Prices are naira text. */
export interface Lists {
  "data-bundles": readonly { type: string; description: string; price: string }[];
  "cable-products": readonly { type: string; code: string; name: string; price: string }[];
  "cable-add-ons": readonly {
    type: string;
    product_code: string;
    add_on_product_code: string;
    name: string;
    price: string;
  }[];
}

/** How a stand-in speaks the wire of its catalogue source: data and a pure function. */
export interface SourceStandIn {
  /** The path of the address that Duba is given, such as `/v2`. */
  base: string;
  /** Its response to a request, as a source that has these lists. */
  answer(request: StandInRequest, lists: Lists): StandInResponse;
}
