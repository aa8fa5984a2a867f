{
  "hmac": [
    {
      "version": 1,
      "key": "wY//PjXosdh0CUNfPVITxQHklXzHBWTooifvAG5QmIc="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "pjaD3u7+lDFCX2GYYJVOewD5YLoAQ6nHv2ZB8yxksAI="
    }
  ],
  "audit": "wYQfm887SCumwu13F/oZg12xWmtz1+/GxvGJz+NxcDg="
}
