-- The time as an argument, and keys that never expire: a test is the clock.

local now = unpack('<d', ARGV[2])

--@save
call('SET', key_, state_)

--@keep
call('SET', key_, state_)

--@copy
copied = true
call('SET', key_, before)

--@extend
