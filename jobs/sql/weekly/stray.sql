-- One row of `stray_brand` is a brand that is reduced anew, because some stored fact leaves it out; what is known of it
-- from others does not count.
create table stray_brand as
select unnest($ids)::uuid as id;

delete from score where brand_id in (select id from stray_brand)
