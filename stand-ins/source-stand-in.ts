import type { StandInRequest, StandInResponse } from "./stand-in.ts";

/** The goods of a stand-in for a catalogue source. Prices are naira text. */
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

/** The wire format of a stand-in for a catalogue source: data and a pure function. */
export interface SourceStandIn {
  /** The path of the address in Duba's settings, such as `/v2`. */
  base: string;
  /** The response of a source with these lists to a request. */
  answer(request: StandInRequest, lists: Lists): StandInResponse;
}
