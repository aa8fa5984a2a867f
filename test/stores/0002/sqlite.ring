{
  "hmac": [
    {
      "version": 1,
      "key": "34TDdD3lvQ6iMvvC4ddqNbWK7erxAtEggZv2M4Iacw8="
    }
  ],
  "records": [
    {
      "id": "r1",
      "key": "/CTyBX+10SX05d5WLbk5IrY0F5jptCQeMAKpvksr8G0="
    }
  ],
  "audit": "tcG+5ipYAcImM0fY6aZPYHe0xLyqQRjITXolhDjvFfA="
}
