import { member } from "./list.ts";

/** The members of a provider, such as a network or a TV service. */
export const providerMembers = {
  type: member.code("Provider code"),
  id: member.id("Number of the provider in this list"),
  name: member.text("Name of the network or service"),
  narration: member.text("Name and kind of the service"),
  image: member.text("Address of a picture; empty when there is none"),
};
