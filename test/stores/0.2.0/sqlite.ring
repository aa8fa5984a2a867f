{
  "hmac": [
    {
      "version": 1,
      "key": "j7L4sIvKQ8dbZWM71UZDDJJnQ9tRVtV2VPFBfC9hYx0="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "Ib6uFMRxYBCTRq8ARzBkYBQ+XA2PViO1br91Wn3stxw="
    }
  ],
  "audit": "NKAdme8Q2sroeAS5qMn3zK6EGFcn7BrsQuwMG6rF7Q0="
}
