# frozen_string_literal: true

require "csv"
require "minitest/autorun"
require "fortnight"

class TestReader < Minitest::Test
  def test_cases
    Dir["test/cases/*.csv"].each do |path|
      words = Fortnight::Words.of(File.basename(path, ".csv"))
      CSV.foreach(path) do |text, seconds|
        assert_equal Integer(seconds), Fortnight::Reader.read(text, words).seconds, text
      end
    end
  end

  def test_nothing
    assert_nil Fortnight::Reader.read("soon", "hour" => :hour)
  end
end
