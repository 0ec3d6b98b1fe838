-- Refunds or releases the permits of a decision.
--
-- KEYS   one for each limit, and one more for each limit that continues the counts of another, all in one slot
-- ARGV   one string of little-endian doubles:
--        verb      0 refund: the request did not run; 1 release: it is done
--        cost      the permits that were taken
--        takenAt   when they were taken, as the decision said
--        unused    how many of the permits are refunded, the last ones of the request
--        then for each limit the numbers of its algorithm
--        then for each limit its room, and its mark, as the decision said; -infinity if the limit was not charged
-- Reply  1, now, packed as in decide.lua; or 3 or 4, now: nothing was done, as there
--
-- Atomic, because Redis runs no other command during a script. @each and the like are explained in decide.lua.

local REFUND, RELEASE = 0, 1
local k, latest, problem, broken, copies = 0, now, 0, nil, nil
--@arguments verb cost takenAt unused ... room_ mark_

--@each
local key_ = KEYS[k + k_]
--@continue
--@read
local freshAt_, changed_ = ANCIENT, false
--@migrate
--@end

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

--@each
if verb == REFUND and mark_ > ANCIENT then
  --@refund
end
--@settle
if changed_ then
  --@fresh
  --@write
end
--@end

return pack('<Bd', 1, now)
