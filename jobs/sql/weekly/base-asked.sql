-- One row is a prompt that was asked for a brand, by the number under which the base knows the two.
select asked_no, brand_id, prompt_id from asked
