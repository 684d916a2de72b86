"""Tables on which the evidence misled the judge once, and what the judge says of them."""
